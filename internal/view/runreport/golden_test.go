package runreport_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// decisions are those of a script, in order.
func decisions(t testing.TB, name string) []events.Event {
	script, _ := read(t, filepath.Join("testdata", name+".txt"))
	var all []events.Event
	for _, step := range play(t, script) {
		all = append(all, step...)
	}
	return all
}

func modelOf(t testing.TB, decided []events.Event) runreport.Model {
	set := runreport.NewSet()
	for _, e := range decided {
		set.Apply(e)
	}
	require.Len(t, set.Results(), 1)
	return set.Results()[0]
}

var forms = map[string]func(io.Writer, runreport.Model) error{
	"md": runreport.RenderMarkdown, "json": runreport.RenderJSON,
	"html":    func(w io.Writer, m runreport.Model) error { return runreport.RenderHTML(w, nil, m) },
	"columns": func(w io.Writer, m runreport.Model) error { return runreport.RenderText(w, m, 60, nil) },
}

// TestGolden has each form of two reports; -update rewrites them, and every
// difference is to be explained.
func TestGolden(t *testing.T) {
	for _, name := range []string{"rw42_firing", "rw42_open"} {
		m := modelOf(t, decisions(t, name))
		for form, render := range forms {
			t.Run(name+"."+form, func(t *testing.T) {
				var out bytes.Buffer
				require.NoError(t, render(&out, m))
				path := filepath.Join("testdata", name+"."+form)
				if *update {
					require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
					return
				}
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, string(want), out.String(), "run with -update and explain every change")
			})
		}
	}
}

// A report can be asked for after every event, without changing the next one.
func TestLiveReports(t *testing.T) {
	decided := decisions(t, "rw42_warranted")
	fold := runreport.New("shop")
	for i, e := range decided {
		fold.Apply(e)
		live, again := fold.Result(), runreport.New("shop")
		for _, earlier := range decided[:i+1] {
			again.Apply(earlier)
		}
		require.Equal(t, again.Result(), live)
	}
	require.Equal(t, modelOf(t, decided), fold.Result())
}

var hostile = []string{
	"<script>alert(1)</script>", "# heading", "- item", "| a | b |", "[a](http://b.example)", "![i](x)", "`code`", "\x1b[31mred\x1b[0m",
	"right\u202eleft", "two\nlines\n\n# heading", "https://evil.example/x", "@someone", "***", "", "&lt;b&gt;", "{{.}}",
}

// hostileModel says every hostile text wherever a text of somebody can stand.
func hostileModel(t testing.TB) runreport.Model {
	fold := runreport.New("r")
	at := func(id string, typ events.Type, data any) {
		fold.Apply(events.Event{ID: id, Type: typ, Subject: "r", PartitionKey: "r", Data: data, CausationID: "x" + id})
	}
	for _, say := range hostile {
		at(say+"1", runevents.TypeRunStarted, &runevents.RunStarted{Kind: say, Goal: say, Project: say, Workspace: say})
		at(say+"2", sessionevents.TypeSignalDetected, &sessionevents.Signal{Layer: sessionevents.LayerArchetype, Detector: say, Subject: say, AgentID: say, Message: say, Reason: say})
		at(say+"3", runevents.TypeCorrectionIssued, &runevents.CorrectionIssued{Layer: sessionevents.LayerArchetype, Issue: say, Action: "correct", Text: say, Target: runevents.Recipient{Kind: runevents.RecipientKind(say), ID: say}})
		at(say+"4", runevents.TypeWiggumBreak, &runevents.WiggumBreak{Kind: "hard", Trigger: runevents.BreakTrigger(say), Reason: say, Present: say, Evidence: []string{say}})
		at(say+"5", runevents.TypeViolationDetected, &runevents.ViolationDetected{Code: say, Rule: say, What: say, Evidence: []runevents.Reference{{Path: say}}})
		at(say+"6", runevents.TypeGateDecided, &runevents.GateDecided{Gate: runevents.Gate(say), Decision: runevents.GateDecision(say), Rule: say, Why: say})
		at(say+"7", runevents.TypeEscalationRaised, &runevents.EscalationRaised{Issue: say, To: runevents.RecipientKind(say), Text: say})
		at(say+"8", runevents.TypeCycleCompleted, &runevents.CycleCompleted{Cycle: 1, Decision: say})
		at(say+"9", runevents.TypeAgentStarted, &runevents.AgentStarted{Session: say, AgentID: say})
		at(say+"a", runevents.TypeRunEvaluated, &runevents.RunEvaluated{Event: say, EventType: say, Failed: say})
		at(say+"b", runevents.TypeControlChanged, &runevents.ControlChanged{State: runevents.ControlState(say), Scope: "run", Who: say, Why: say})
		at(say+"c", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: say, PRURL: say, Summary: say})
	}
	return fold.Result()
}

// Markdown holds only the markup that we put there.
func TestHostileTextMakesNoMarkup(t *testing.T) {
	var out bytes.Buffer
	m := hostileModel(t)
	require.NoError(t, runreport.RenderMarkdown(&out, m))
	headings := 0
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(out.Bytes()))
	require.NoError(t, ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindLink, ast.KindImage, ast.KindAutoLink, ast.KindRawHTML, ast.KindHTMLBlock, ast.KindCodeSpan, ast.KindCodeBlock,
			ast.KindFencedCodeBlock, ast.KindBlockquote, ast.KindThematicBreak:
			t.Errorf("%s in the report", n.Kind())
		case ast.KindHeading:
			headings++
		case ast.KindList:
			require.Equal(t, doc, n.Parent(), "no list in a list")
		}
		return ast.WalkContinue, nil
	}))
	require.Equal(t, 1+runreport.Parts(m), headings, "only our own")
}

// A page runs nothing, a terminal obeys nothing.
func TestHostileTextIsOnlyRead(t *testing.T) {
	m := hostileModel(t)
	var shown, screen bytes.Buffer
	require.NoError(t, runreport.RenderHTML(&shown, nil, m))
	require.NotContains(t, shown.String(), "<script")
	require.NoError(t, runreport.RenderText(&screen, m, 60, nil))
	require.NoError(t, runreport.RenderConclusions(&screen, m, 60, nil))
	screen.WriteString(page.Plain(runreport.Summary(m)))
	for _, line := range m.Moments() {
		screen.WriteString(line)
		require.NotContains(t, line, "\n")
	}
	for _, r := range shown.String() + screen.String() {
		require.False(t, r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r), "%q", r)
	}
}

// Whatever comes, in whatever order: no panic, bounded lists, the same bytes.
func TestAnyEvents(t *testing.T) {
	settings := runreport.DefaultSettings()
	settings.Limits = runreport.Limits{Timeline: 5, Entries: 4, Sessions: 3, Text: 20}
	rapid.Check(t, func(t *rapid.T) {
		set, again := runreport.NewSet(settings), runreport.NewSet(settings)
		for _, e := range rapid.SliceOfN(rapid.Custom(anyEvent), 0, 60).Draw(t, "events") {
			set.Apply(e)
			again.Apply(e)
		}
		first, second := set.Results(), again.Results()
		require.Equal(t, render(t, first), render(t, second))
		for _, m := range first {
			require.LessOrEqual(t, len(m.Timeline), 5)
			require.LessOrEqual(t, len(m.Sessions), 3)
			for _, n := range []int{len(m.Breaks), len(m.Shadows), len(m.Corrections), len(m.Violations), len(m.Gates), len(m.Escalations), len(m.Cycles), len(m.Steers)} {
				require.LessOrEqual(t, n, 4)
			}
		}
	})
}

func render(t *rapid.T, models []runreport.Model) string {
	var out bytes.Buffer
	for _, m := range models {
		for _, form := range []string{"md", "json", "html", "columns"} {
			require.NoError(t, forms[form](&out, m))
		}
		_, err := json.Marshal(m)
		require.NoError(t, err)
	}
	return out.String()
}

// anyEvent is one of any type, with data that may be empty or hang together.
func anyEvent(t *rapid.T) events.Event {
	id := rapid.SampledFrom([]string{"", "a", "b", "c"})
	d := rapid.SampledFrom(events.All()).Draw(t, "type")
	e := events.Event{
		ID: id.Draw(t, "id"), Type: d.Type, Subject: id.Draw(t, "subject"), PartitionKey: id.Draw(t, "group"), CausationID: id.Draw(t, "cause"), Data: d.New(),
		Credential: rapid.SampledFrom([]events.Role{"", events.RoleOperator, events.RoleInfra}).Draw(t, "role"),
	}
	switch data := e.Data.(type) {
	case *runevents.WiggumBreak:
		data.Upgrades, data.Scope = id.Draw(t, "upgrades"), rapid.SampledFrom([]runevents.Scope{runevents.ScopeRun, runevents.ScopeSession, ""}).Draw(t, "scope")
		data.Trigger = rapid.SampledFrom([]runevents.BreakTrigger{runevents.TriggerBrokenSuite, runevents.TriggerBudget95}).Draw(t, "trigger")
	case *runevents.BreakNoted:
		data.Break = id.Draw(t, "break")
	case *runevents.ControlChanged:
		data.State, data.Scope = rapid.SampledFrom([]runevents.ControlState{"running", "halted"}).Draw(t, "state"), "run"
	case *sessionevents.Signal:
		data.Layer, data.Subject, data.Run = rapid.SampledFrom([]sessionevents.Layer{"archetype", "session"}).Draw(t, "layer"), id.Draw(t, "issue"), id.Draw(t, "run")
	case *runevents.CorrectionIssued:
		data.Layer, data.Issue = sessionevents.LayerArchetype, id.Draw(t, "issue")
	case *runevents.RunCompleted:
		data.Outcome = rapid.SampledFrom([]string{"success", "failure", ""}).Draw(t, "outcome")
	}
	if rapid.IntRange(0, 20).Draw(t, "empty") == 0 {
		e.Data = nil
	}
	return e
}
