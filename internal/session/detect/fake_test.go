package detect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// fake is a detector whose findings the test decides.
type fake struct {
	run   func(*detect.Pass) []detect.Finding
	judge func(*detect.Pass, *events.Signal) (events.Outcome, string)
}

type fakeState struct{ Turns int }

func (f fake) NewState() any { return &fakeState{} }

func (f fake) Run(p *detect.Pass) []detect.Finding {
	p.State.(*fakeState).Turns++
	return f.run(p)
}

func (f fake) Judge(p *detect.Pass, s *events.Signal) (events.Outcome, string) {
	if f.judge == nil {
		return events.OutcomeOpen, ""
	}
	return f.judge(p, s)
}

func detector(id string, f fake) *detect.Detector {
	doc := "# " + id + " fake\n"
	for _, s := range detect.Sections {
		doc += "\n## " + s + "\n\nText.\n"
	}
	return &detect.Detector{
		ID: id, Name: "fake", Class: events.Class(id[:1]), Title: "A fake", Doc: doc, Rules: []string{id},
		New: func(*rules.Set) (detect.Instance, error) { return f, nil },
	}
}

// always finds the same things each turn.
func always(id string, findings ...detect.Finding) *detect.Detector {
	return detector(id, fake{run: func(*detect.Pass) []detect.Finding { return findings }})
}

func suite(t testing.TB, overrides string, list ...*detect.Detector) *detect.Suite {
	t.Helper()
	set, err := rules.Load("test.yaml", []byte(overrides))
	require.NoError(t, err)
	s, err := detect.NewSuite(list, set)
	require.NoError(t, err)
	return s
}

func turn(n int, segments ...events.Segment) *detect.Pass {
	for i := range segments {
		segments[i].Index = i
	}
	return &detect.Pass{
		Turn:   &events.TurnSegmented{Session: "s", Turn: n, Segments: segments},
		Before: &registry.Registry{}, Additions: &registry.Turn{Number: n},
	}
}

func finding(subject string, offset int) detect.Finding {
	return detect.Finding{
		Subject: subject, Confidence: 0.9, ReworkCost: 3, SelfCorrect: 0.5, Message: "Short.", Reason: "Because.",
		Evidence: []events.Evidence{{Offset: offset, Length: 1}},
	}
}

func ids(signals []events.Signal) string {
	var out []string
	for _, s := range signals {
		out = append(out, s.Detector+":"+s.Subject)
	}
	return strings.Join(out, " ")
}
