package strangers

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote/quotetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

var core = sync.OnceValues(func() (*machines.Core, error) { return machines.New(machines.Options{Rules: rules.Default()}) })

// played plays inputs through the three stages and returns everything that they derive and everything in
// DECISIONS: channels also show what DECISIONS passes on.
func played(t testing.TB, inputs []events.Event) (out, decisions []events.Event) {
	core, err := core()
	require.NoError(t, err)
	chain := core.Chain()
	chain.Folded = func(stage string, _ events.Event, list []events.Event, fault string) {
		require.Empty(t, fault)
		for _, made := range list {
			if made.Source == step.Source(stage) {
				out = append(out, made)
			}
		}
	}
	for _, e := range inputs {
		input, err := publish.Prepare(e)
		require.NoError(t, err)
		input.Raw, err = events.EncodeData(input)
		require.NoError(t, err)
		decisions = append(decisions, chain.Feed(input)...)
	}
	return out, decisions
}

// hostile returns the texts to play, an eighth of them in the short form.
func hostile() []string {
	var out []string
	list := quotetest.Hostile()
	for i := 0; i < len(list); i += proofs.Size(8, 1) {
		out = append(out, list[i])
	}
	return out
}

// ours returns the texts of an event that agents and people take for ours.
func ours(e events.Event) map[string]string {
	switch d := e.Data.(type) {
	case *sessionevents.Signal:
		return map[string]string{"message": d.Message, "reason": d.Reason}
	case *sessionevents.InterruptFired:
		return map[string]string{"message": d.Message, "reason": d.Reason, "headline": d.Headline}
	case *runevents.WiggumBreak:
		return map[string]string{"reason": d.Reason, "present": d.Present}
	case *runevents.BreakNoted:
		return map[string]string{"reason": d.Reason}
	case *runevents.EscalationRaised:
		return map[string]string{"text": d.Text}
	case *runevents.CorrectionIssued:
		return map[string]string{"text": d.Text, "reason": d.Reason}
	case *runevents.ViolationDetected:
		return map[string]string{"what": d.What}
	case *runevents.WarningIssued:
		return map[string]string{"what": d.What}
	case *runevents.GateDecided:
		return map[string]string{"why": d.Why}
	case *runevents.HaltIgnored:
		return map[string]string{"reason": d.Reason}
	case *runevents.PolicyCheckpoint:
		return map[string]string{"why": d.Why}
	}
	return nil
}

// DP-20: no message, reason or text of a decision lets a stranger speak for us.
func TestTextsOfDecisions(t *testing.T) {
	seen := map[string]int{}
	for _, foreign := range hostile() {
		session, _ := played(t, watched(foreign))
		run, _ := played(t, led(foreign))
		ticket, _ := played(t, meant(foreign))
		for _, e := range append(append(session, run...), ticket...) {
			for name, text := range ours(e) {
				if problem := quotetest.Problem(text); problem != "" {
					data, _ := json.Marshal(e.Data)
					t.Errorf("%s of %s for %q: %s\n%.600s", name, e.Type, foreign, problem, data)
				}
				seen[string(e.Type)+" "+rule(e)]++
			}
		}
	}
	require.GreaterOrEqual(t, len(seen), 18, "%v", seen)
}

// rule returns the rule behind an event: a detector, a trigger or a code.
func rule(e events.Event) string {
	v := reflect.ValueOf(e.Data).Elem()
	for _, name := range []string{"Detector", "Trigger", "Code", "Gate", "Issue"} {
		if f := v.FieldByName(name); f.IsValid() {
			return strings.TrimSpace(f.String())
		}
	}
	return ""
}
