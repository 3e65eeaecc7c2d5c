package detect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// fake is a detector whose findings the test decides.
type fake struct {
	run   func(*detect.Pass) []detect.Finding
	judge func(*detect.Pass, *sessionevents.Signal) (sessionevents.Outcome, string)
}

type fakeState struct{ Turns int }

func (f fake) NewState() any { return &fakeState{} }

func (f fake) Run(p *detect.Pass) []detect.Finding {
	p.State.(*fakeState).Turns++
	return f.run(p)
}

func (f fake) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if f.judge == nil {
		return sessionevents.OutcomeOpen, ""
	}
	return f.judge(p, s)
}

func detector(id string, f fake) *detect.Detector {
	doc := "# " + id + " fake\n"
	for _, s := range detect.Sections {
		doc += "\n## " + s + "\n\nText.\n"
	}
	return &detect.Detector{
		ID: id, Name: "fake", Class: sessionevents.Class(id[:1]), Title: "A fake", Doc: doc, Rules: []string{id},
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

func turn(n int, segments ...sessionevents.Segment) *detect.Pass {
	for i := range segments {
		segments[i].Index = i
	}
	return &detect.Pass{
		Turn:   &sessionevents.TurnSegmented{Session: "s", Turn: n, Segments: segments},
		Before: &registry.Registry{}, Additions: &registry.Turn{Number: n},
	}
}

func finding(subject string, offset int) detect.Finding {
	return detect.Finding{
		Subject: subject, Confidence: 0.9, ReworkCost: 3, SelfCorrect: 0.5, Message: "Short.", Reason: "Because.",
		Evidence: []sessionevents.Evidence{{Offset: offset, Length: 1}},
	}
}

func ids(signals []sessionevents.Signal) string {
	var out []string
	for _, s := range signals {
		out = append(out, s.Detector+":"+s.Subject)
	}
	return strings.Join(out, " ")
}
