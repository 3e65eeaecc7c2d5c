package machines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/planted"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// SW-7: every kind of secret in every place is in nothing that a stage writes and in no report.
// In short each kind is in four of the places, in full in all.
func TestEveryKindIsRedactedInEveryPlace(t *testing.T) {
	p := newPlanter(t)
	missed := map[string][]string{}
	cells := 0
	for k, kind := range secretstest.Plants() {
		for i, place := range planted.Places {
			if !proofs.Full() && (i+k)%(len(planted.Places)/4) != 0 {
				continue
			}
			cells++
			text, secret := p.generator.Plant(kind)
			if where := p.leaks(place.Session(fmt.Sprintf("s-%d-%d", k, i), text), secret); where != "" {
				missed[kind.Name] = append(missed[kind.Name], place.Name+" ("+where+")")
			}
		}
	}
	report(t, missed, cells)
}

func report(t *testing.T, missed map[string][]string, cells int) {
	t.Helper()
	count := 0
	var lines []string
	for kind, places := range missed {
		count += len(places)
		lines = append(lines, fmt.Sprintf("%s: %d: %s", kind, len(places), strings.Join(places, ", ")))
	}
	slices.Sort(lines)
	t.Logf("%d of %d secrets are in what was written", count, cells)
	if count > 0 {
		t.Errorf("not redacted:\n%s", strings.Join(lines, "\n"))
	}
}

// again are texts that repeat a value without what gave it away.
var again = []planted.Place{
	planted.Spoken("said", "The value %s is in place."),
	planted.Spoken("asked", "Is (%s) still right?"),
	planted.Command("command", "deploy --with %s --now"),
	planted.Command("path", "cat /srv/keys/%s.txt"),
	planted.Result("output", "line 1\nvalue=%s;\n"),
	planted.Finished("run", "Done with %s."),
	planted.Committed("commit", "Use %s everywhere"),
}

// What was recognised once is redacted wherever the group repeats it, by every field (SW-7): before
// it in its turn and in all events after it. The state that recognises it does not hold it.
func TestWhatWasRecognisedIsRedactedFromThenOn(t *testing.T) {
	p := newPlanter(t)
	missed := map[string][]string{}
	cells := 0
	for k, kind := range secretstest.Plants() {
		if !kind.Single() || !proofs.Full() && k%8 != 0 {
			continue
		}
		text, secret := p.generator.Plant(kind)
		session := fmt.Sprintf("r-%d", k)
		first := planted.Turn(session, "t0", planted.Said(sessionevents.BlockUser, "It is about "+secret+" today."),
			planted.Said(sessionevents.BlockText, text))
		payloads := []any{first}
		for _, place := range again {
			payloads = append(payloads, place.Payloads(session, secret)...)
		}
		cells += len(payloads)
		if where := p.leaks(planted.Session(session, payloads...), secret); where != "" {
			missed[kind.Name] = append(missed[kind.Name], where)
		}
	}
	report(t, missed, cells)
}

// Nothing that only looks like a secret is redacted, whatever the place.
func TestNothingHarmlessIsRedacted(t *testing.T) {
	p := newPlanter(t)
	wrong := map[string][]string{}
	cells := 0
	for n, text := range p.generator.Harmless() {
		for i, place := range planted.Places {
			if !proofs.Full() && (i+n)%(len(planted.Places)/4) != 0 {
				continue
			}
			cells++
			written := p.written(place.Session(fmt.Sprintf("h-%d-%d", n, i), text))
			if bytes.Contains(written["segments"], []byte(secrets.MarkerOpen)) {
				wrong[text] = append(wrong[text], place.Name)
			}
		}
	}
	report(t, wrong, cells)
}

// planter plays sessions through all stages.
type planter struct {
	t         *testing.T
	core      *Core
	generator *secretstest.Generator
}

func newPlanter(t *testing.T) *planter {
	t.Helper()
	core, err := New(Options{Rules: rules.Default()})
	require.NoError(t, err)
	return &planter{t, core, secretstest.New(24)}
}

// leaks names the first place of what is written that holds a trace of the secret.
func (p *planter) leaks(list []events.Event, secret string) string {
	written := p.written(list)
	for _, where := range []string{"segments", "ingest", "signals", "evaluator", "decisions", "dispatcher", "report"} {
		for _, trace := range secretstest.Traces(secret) {
			if bytes.Contains(written[where], []byte(trace)) {
				return where
			}
		}
	}
	return ""
}

// written is what the stages write about a session, without the escapes of JSON: events, snapshots, report.
func (p *planter) written(list []events.Event) map[string][]byte {
	p.t.Helper()
	out := map[string][]byte{}
	list, out["segments"], out["ingest"] = played(p.t, p.core.Ingest, p.core.Identity, list)
	list, out["signals"], out["evaluator"] = played(p.t, p.core.Evaluate, p.core.Identity, list)
	list, out["decisions"], out["dispatcher"] = played(p.t, p.core.Dispatch, p.core.Identity, list)
	fold := sessionreport.New(list[0].Subject)
	for _, ev := range list {
		fold.Apply(ev)
	}
	var report bytes.Buffer
	require.NoError(p.t, sessionreport.Report(fold.Result()).Write(&report, "md", doc.Screen{}))
	require.NoError(p.t, sessionreport.Report(fold.Result()).Write(&report, "json", doc.Screen{}))
	out["report"] = plain(report.Bytes())
	return out
}

// played folds events into one state, which is written and read after each.
func played[S any](t *testing.T, m step.Machine[S], identity step.Identity, in []events.Event) (out []events.Event, written, snapshots []byte) {
	t.Helper()
	state := m.New(in[0].Group())
	for _, ev := range in {
		emitter := step.NewEmitter(m.Stage(), identity, ev)
		next, err := m.Step(state, step.Input{Event: ev, Arrived: ev.Time}, emitter)
		require.NoError(t, err, "%s of %s", m.Stage(), ev.Type)
		snapshot, err := m.Encode(next)
		require.NoError(t, err)
		state, err = m.Decode(snapshot)
		require.NoError(t, err)
		snapshots = append(snapshots, plain(snapshot)...)
		out = append(out, emitter.Events()...)
	}
	for _, ev := range out {
		line, err := events.MarshalStructured(ev)
		require.NoError(t, err)
		written = append(append(written, plain(line)...), '\n')
	}
	return out, written, snapshots
}

// plain adds to a JSON text what its strings say without escapes.
func plain(text []byte) []byte {
	out := bytes.Clone(text)
	var value any
	if json.Unmarshal(text, &value) != nil {
		return out
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(append(out, '\n'), v...)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for key, item := range v {
				out = append(append(out, '\n'), key...)
				walk(item)
			}
		}
	}
	walk(value)
	return out
}
