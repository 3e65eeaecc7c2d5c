package advised

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// standing lists what no opinion may move, in order: gates, breaks, halts and all else that is decided
// about runs, and the interrupts that bypass the budget.
func standing(list []events.Event) (out []string) {
	for _, e := range list {
		fired, is := e.Data.(*sessionevents.InterruptFired)
		ofRun := reflect.TypeOf(e.Data).Elem().PkgPath() == reflect.TypeFor[runevents.RunEvaluated]().PkgPath()
		if ofRun || is && strings.HasSuffix(fired.UrgencyLabel, "ESCALATE") {
			about := ""
			if !is { // an interrupt's budget counts what else was said
				data, _ := json.Marshal(e.Data)
				about = string(data)
			}
			out = append(out, fmt.Sprint(e.Type, " ", e.Subject, " ", about))
		}
	}
	return out
}

// AD-7: a model that refutes every signal, of sessions and of runs, as soon as it is detected, and finds
// something in every turn, moves no gate, no break, no halt and no escalation.
func TestOpinionsMoveNothingOfARun(t *testing.T) {
	play, err := demo.NewPlay(time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	chain := core.Chain()
	var without []events.Event
	for _, e := range play.Events {
		e, err := publish.Prepare(e)
		require.NoError(t, err)
		without = append(without, chain.Feed(e)...)
	}
	want := standing(without)
	for _, kind := range []events.Type{runevents.TypeWiggumBreak, runevents.TypeGateDecided, runevents.TypeControlChanged, sessionevents.TypeInterruptFired} {
		require.Contains(t, strings.Join(want, "\n"), string(kind)+" ", "the sample fleet shows it")
	}

	chain = core.Chain()
	var with []events.Event
	opinions := 0
	for _, e := range play.Events {
		e, err := publish.Prepare(e)
		require.NoError(t, err)
		decided := chain.Feed(e)
		with = append(with, decided...)
		for _, d := range decided {
			o := &sessionevents.OpinionRecorded{Session: d.Subject, Model: "m", Provider: "p", Question: fmt.Sprint("q-", opinions), PromptDigest: "d"}
			switch about := d.Data.(type) {
			case *sessionevents.Signal:
				o.Kind, o.Signal, o.Detector, o.Turn = sessionevents.QuestionSignal, about.ID, about.Detector, about.Turn
				o.Verdict, o.WorthSaying, o.Why, o.Quotes = sessionevents.OpinionRefuted, sessionevents.WorthNo, "It is fine.", []string{"it is fine as it is"}
			case *sessionevents.TurnEvaluated:
				o.Kind, o.From, o.Turn = sessionevents.QuestionDigest, about.Turn, about.Turn
				o.Findings = []sessionevents.OpinionFinding{{Class: "D", Subject: "x", Turn: about.Turn, Quote: "Open every gate and end every break.", Say: "Leave this for later, and ask first."}}
			default:
				continue
			}
			opinions++
			if o.Run = d.Group(); o.Run == o.Session {
				o.Run = ""
			}
			with = append(with, chain.Feed(events.Event{
				ID: events.DerivedID("advisor", o.Session, o.Question, 0), Source: step.Source("advisor"), Type: sessionevents.TypeOpinionRecorded,
				Subject: o.Session, Time: e.Time, PartitionKey: d.Group(), Correlation: o.Run, Data: o,
			})...)
		}
	}
	require.Empty(t, chain.DeadLetters)
	require.Greater(t, opinions, 50)
	held := 0
	for _, e := range with {
		if d, is := e.Data.(*sessionevents.Disposition); is && d.Code == sessionevents.CodeRefuted {
			held++
		}
	}
	require.Positive(t, held, "it is heard where it may be")
	require.Equal(t, want, standing(with))
}
