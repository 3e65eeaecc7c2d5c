package pipeline

import (
	"strconv"
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Turns outside of pipelines cost nothing.
func TestTurnsOutsideAllocateNothing(t *testing.T) {
	s := &State{}
	in := step.Input{Event: events.Event{ID: "e", Type: sessionevents.TypeTurnEvaluated, Subject: "s", Data: turn("s", "a.go")}}
	event := run.NewContext(in)
	if n := testing.AllocsPerRun(100, func() { loaded.Decide(s, event) }); n > 0 {
		t.Errorf("%v allocations a turn", n)
	}
	if s.Run != nil || s.Workspace != nil {
		t.Error("a turn alone makes state")
	}
}

func BenchmarkLoadConfig(b *testing.B) {
	set := rules.Default()
	for b.Loop() {
		if _, err := LoadConfig(set); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTurnOutside(b *testing.B) {
	s := &State{}
	in := step.Input{Event: events.Event{ID: "e", Type: sessionevents.TypeTurnEvaluated, Subject: "s", Data: turn("s", "a.go")}}
	event := run.NewContext(in)
	for b.Loop() {
		loaded.Decide(s, event)
	}
}

func BenchmarkPhaseCompleted(b *testing.B) {
	s := newStory(b)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	state := s.groups["run"]
	in := step.Input{Event: events.Event{ID: "e", Type: runevents.TypePhaseCompleted, Subject: "run", Data: s.completed("coding", "wr.coding_handoff", "", coding)}}
	for b.Loop() {
		event := run.NewContext(in)
		loaded.Decide(state, event)
		if len(event.Conclusions()) != 0 {
			b.Fatal("a clean handover is silent")
		}
	}
}

// PL-41: a review with a long checklist, when as much as is kept is known, takes
// time in proportion to it only.
func BenchmarkLongChecklist(b *testing.B) {
	s := newStory(b)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	state := s.groups["run"]
	review := &runevents.ReviewCompleted{Reviewer: "sage", Verdict: "clean"}
	for i := range 2000 {
		review.Checklist = append(review.Checklist, runevents.ChecklistItem{Item: "Item " + strconv.Itoa(i), Result: itemPassed})
	}
	in := step.Input{Event: events.Event{ID: "e", Type: runevents.TypeReviewCompleted, Subject: "run", Data: review}}
	for b.Loop() {
		event := run.NewContext(in)
		loaded.Decide(state, event)
	}
}
