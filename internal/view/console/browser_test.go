package console_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/browser"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// The texts of a world: an ordinary one, and one in which everything is hostile, long or written from
// right to left.
type world struct{ project, task, says, command, id string }

var (
	plain = world{
		"shop", "fix the login form", "I'll look at the form first. The field for the address is read twice.",
		"go test ./internal/login", "03a1382e-ecd5-42c4-b3d4-5c659e165904",
	}
	hostile = world{
		strings.Repeat(
			"a-very-long-name-without-any-place-to-break", 4,
		), `<script>document.title="broken"</script>"><img src=x onerror='document.title="broken"'>` + "\u202e‮ txet",
		"<b onmouseover=alert(1)>שלום עולם, זה טקסט מימין לשמאל</b> " + strings.Repeat(
			"wide",
			200,
		), "rm -rf '" + strings.Repeat("/deep", 60) + "' && echo \"<svg onload=alert(1)>\"", "id-" + strings.Repeat("0123456789", 12),
	}
	rightToLeft = world{
		"متجر", "أصلح نموذج تسجيل الدخول من فضلك", "سأنظر إلى النموذج أولا. الحقل يقرأ مرتين.", "go test ./…",
		"b7c1382e-ecd5-42c4-b3d4-5c659e165904",
	}
)

// session returns the id of a session: those of machines differ from the first character on, others in the end.
func (w world) session(i int) string {
	if len(w.id) != len(plain.id) {
		return fmt.Sprintf("%s-%d", w.id, i)
	}
	return fmt.Sprintf("%06x%s", (i+1)*40503%(1<<24), w.id[6:])
}

func (w world) sessions(n int) (list []readmodel.Session) {
	for i := range n {
		s := readmodel.Session{
			Session: w.session(i), Workspace: "/home/me/" + w.project, Task: w.task, Agent: "claude-code", Turns: 3 * i,
			Closed: i%3 == 1, Last: noon.Add(-time.Duration(i) * time.Minute), Interrupts: i % 3, Prevented: i % 2, CostUSD: float64(i) / 7,
		}
		if i == 2 {
			s.Session = w.session(0) + "-agent-c7f2d1e0aa"
		}
		list = append(list, s)
	}
	return list
}

func (w world) waiting() []runlist.Run {
	return []runlist.Run{
		{
			ID:      "nightly",
			Project: w.project,
			Goal:    w.task,
			State:   runevents.ControlHalted,
			Last:    noon,
			Break: &runlist.Break{
				ID: "b1", At: noon.Add(-3 * time.Hour), WiggumBreak: runevents.WiggumBreak{
					Trigger: runevents.TriggerTaskFailures, Reason: "3 tasks in a row failed: " + w.says,
				},
			},
		},
		{
			ID:   w.id,
			Goal: w.task,
			Questions: []runlist.Question{
				{At: noon.Add(-time.Hour), ClarificationRequested: runevents.ClarificationRequested{
					RequestID: "q1", Question: "Which endpoint? " + w.says, Options: []runevents.Option{
						{ID: "A", Text: w.says}, {ID: "B", Text: "the new one"},
					},
				}},
			},
		},
	}
}

func (w world) report() sessionreport.Model {
	show := "go test ./..."
	m := sessionreport.Model{
		Session: sessionreport.Session{
			ID: w.id, Task: w.task, Workspace: "/home/me/" + w.project,
			Agent: &sessionevents.Agent{
				Kind:  "claude-code",
				Model: "claude-x",
			}, Opened: noon, Last: noon.Add(time.Hour),
		},
		Turns: 6, Budget: 3, Usage: &sessionreport.Usage{CostUSD: 0.42},
		Prevented: &prevented.Section{Counts: prevented.Counts{Denied: 1}, Calls: []prevented.Call{{
			Session: w.id, Turn: 3, Outcome: sessionevents.GuardDenied, Command: w.command, Rule: "E3", RescueRef: "refs/scaffoldwatch/rescue/a1",
			Acts: []sessionevents.GuardAct{{Act: "delete", Target: "/home/me/thesis.md", Owner: "person"}},
		}}},
		Interrupts: []sessionreport.Fired{{
			ID: "c0ffee12", Turn: 4, Detector: "B1", Label: "4.0", Message: "A credential is in the code: " + w.says, Reason: "a provider's pattern", Heed: "heeded",
			Budget: sessionevents.BudgetChange{Before: 3, After: 2}, Deliveries: []sessionreport.Delivery{
				{State: sessionevents.DeliveryDelivered},
			}, Evidence: []sessionevents.Evidence{{Quote: w.says}},
		}},
		Logged: []sessionreport.Finding{
			{Signal: "s2", Turn: 4, Detector: "C2", Message: w.says, Reason: "below the threshold"},
		},
		Done: &sessionreport.Done{
			Verdicts: map[sessionevents.Verdict]int{sessionevents.Contradicted: 1, sessionevents.Proven: 1},
			Claims: []sessionevents.Claim{
				{
					Turn: 6, Text: "All tests pass. " + w.says, Verdict: sessionevents.Contradicted, Why: "the last run failed",
					Final: true, Show: show, By: &sessionevents.LedgerRun{Turn: 5, Command: w.command},
				},
				{
					Turn:    5,
					Text:    "The form is fixed",
					Verdict: sessionevents.Proven,
					Why:     "its test passed",
					Final:   true,
				},
			},
		},
	}
	m.Opinions = w.opinions()
	for n := 1; n <= 6; n++ {
		m.TurnByTurn = append(m.TurnByTurn, sessionreport.Turn{Number: n, Calls: n, Missing: n == 2})
	}
	return m
}

func (w world) said() map[int]*sessionevents.TurnSegmented {
	one := 1
	input, _ := json.Marshal(map[string]string{"command": w.command})
	return map[int]*sessionevents.TurnSegmented{
		1: {Segments: []sessionevents.Segment{
			{Kind: sessionevents.SegmentUser, Text: w.task},
			{Kind: sessionevents.SegmentPlan, Text: w.says, Thinking: true},
			{Kind: sessionevents.SegmentPlan, Text: w.says + "\n\n" + w.says},
		}},
		3: {Segments: []sessionevents.Segment{
			{
				Kind: sessionevents.SegmentTool,
				Tool: &sessionevents.ToolCall{
					Name:      "Bash",
					Canonical: sessionevents.ToolShell,
					Command:   w.command,
					Input:     input,
				},
				Result: &sessionevents.ResultDigest{ExitCode: &one, Head: "FAIL\n" + w.says},
			},
			{
				Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Name: "Read", Canonical: sessionevents.ToolRead},
				Accesses: []sessionevents.Access{{Kind: sessionevents.AccessRead, Target: "src/" + w.project}},
			},
		}},
		4: {Segments: []sessionevents.Segment{
			{
				Kind: sessionevents.SegmentDiff, Path: "src/" + w.project + "/login.go",
				Diff: &sessionevents.Diff{
					Op: sessionevents.DiffUpdate,
					Hunks: []sessionevents.Hunk{
						{Lines: []string{" func a() {", "-	" + w.says, "+	return nil", " }"}},
					},
				},
			},
		}},
		6: {Segments: []sessionevents.Segment{{Kind: sessionevents.SegmentPlan, Text: "All tests pass. " + w.says}}},
	}
}

func (w world) run() (m console.Run) {
	m.Report = runreport.Model{
		Run: runreport.Run{
			ID: "nightly", Goal: w.task, Project: w.project, Kind: "wave", First: noon, Last: noon.Add(time.Hour),
		},
		Standing: runreport.Standing{State: runevents.ControlHalted, Why: w.says},
	}
	m.Report.Cycles = []runreport.Cycle{
		{Cycle: 1, Open: 4}, {Cycle: 2, Open: 2, Compared: true, Resolved: 3, New: 1, Decision: "again"},
	}
	add := func(subject string, data any) {
		m.Events = append(
			m.Events,
			events.Event{Subject: subject, Time: noon.Add(time.Duration(len(m.Events)) * time.Minute), Data: data},
		)
	}
	add("nightly", &runevents.RunStarted{Goal: w.task})
	for a := range 5 {
		id := fmt.Sprintf("%s-%d", w.id, a)
		m.Report.Sessions = append(m.Report.Sessions, runreport.Session{ID: id, AgentID: w.project + fmt.Sprint(a)})
		for n := range 4 + a {
			add(id, &sessionevents.TurnEvaluated{Turn: n + 1})
		}
		add(id, &sessionevents.InterruptFired{Detector: "B1", Message: w.says})
		add(
			id,
			&sessionevents.GuardDecided{
				Session: id, Verdict: sessionevents.HookDeny, Command: w.command,
				Acts: []sessionevents.GuardAct{{Act: "delete", Target: "thesis.md", Owner: "person"}},
			},
		)
	}
	add("nightly", &runevents.GateDecided{Gate: runevents.GateMerge, Decision: runevents.DecisionDeny, Why: w.says})
	add("nightly", &runevents.WiggumBreak{Reason: w.says})
	m.Sessions, m.Waiting = w.sessions(5), w.waiting()[:1]
	return m
}

func (w world) fleet() (m fleetreport.Model) {
	counts := fleetreport.Counts{}
	for d := range 30 {
		day := noon.AddDate(0, 0, -d).Format(time.DateOnly)
		count := func(kind, name, what string, n int) {
			counts[fleetreport.Count{Day: day, Kind: kind, Name: name, What: what}] = int64(n)
		}
		count("agent", w.project, "sessions", 3+d%4)
		count("agent", w.project, "turns", 200+13*d)
		count("agent", w.project, "cost_micros", 1_000_000*(d%5))
		count("detector", "B1", "interrupts", d%3)
		count("detector", "B1", "heeded", d%3)
		count("detector", "E1", "interrupts", 1)
		count("detector", "E1", "ignored", 1)
		count("detector", "E1", "dismissed", d%2)
		count("prevented", "delete", "denied", d%6)
		count("opinion", w.project, "questions", 2)
		count("opinion", w.project, "refuted", d%2)
		count("opinion", w.project, "cost_micros", 12_000)
	}
	return fleetreport.Build(counts, map[string]string{"B1": "credential in the code", "E1": w.says})
}

// handler serves the views of a world with n sessions.
func (w world) handler(n int, key string) http.Handler {
	place := console.Place{
		Now: noon, Zone: time.UTC, Key: key, Machine: true, Budget: 3, Lifting: time.Hour, Foot: "No model is asked, and nothing leaves this machine.",
		Titles: map[string]string{"B1": "credential in code", "C4": "stuck loop", "E3": "destructive act"},
	}
	mux := http.NewServeMux()
	page := func(path string, render func(io.Writer, *http.Request) error) {
		mux.HandleFunc("GET "+path, func(out http.ResponseWriter, q *http.Request) {
			var text bytes.Buffer
			if err := render(&text, q); err != nil {
				http.Error(out, err.Error(), http.StatusInternalServerError)
				return
			}
			out.Header().Set("Content-Security-Policy", console.Policy)
			out.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = out.Write(text.Bytes())
		})
	}
	mux.HandleFunc("GET /console.css", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/css")
		_, _ = io.WriteString(out, console.Style)
	})
	mux.HandleFunc("GET /console.js", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(out, console.Script)
	})
	list := w.sessions(n)
	shown := list[:min(n, 100)]
	busy := min(n, 1)
	page("/{$}", func(out io.Writer, _ *http.Request) error {
		m := console.Model{Place: place, Sessions: list[:min(n, 20)], Total: n, Runs: busy}
		if n > 0 {
			m.Waiting = w.waiting()
			m.Words = []readmodel.Interrupt{
				{ID: "c0ffee12", Session: list[0].Session, Detector: "B1", Message: w.says, At: noon},
			}
			m.Prevented = []readmodel.Prevented{
				{
					Session: list[0].Session, Turn: 3, Outcome: sessionevents.GuardDenied, Command: w.command,
					What: "would delete thesis.md of the person", At: noon, RescueRef: "refs/scaffoldwatch/rescue/a1",
				},
			}
		}
		return console.Render(out, m)
	})
	page("/live", func(out io.Writer, q *http.Request) error {
		m := console.Live{
			Place:    place,
			Sessions: shown,
			Total:    n,
			Waiting:  w.waiting()[:2*busy],
			Runs:     w.waiting()[:2*busy],
		}
		m.Filter, m.Board = console.ReadLive(q.URL.Query().Get)
		return console.RenderLive(out, m)
	})
	page("/prevented", func(out io.Writer, _ *http.Request) error {
		m := console.PreventedModel{Place: place, Sessions: shown}
		if n > 0 {
			m.Prevented = []readmodel.Prevented{
				{
					Session: list[0].Session, Turn: 3, Outcome: sessionevents.GuardDenied, Command: w.command,
					What: "would delete thesis.md of the person", At: noon, Word: "4f2", RescueRef: "refs/scaffoldwatch/rescue/a1",
				},
			}
		}
		return console.RenderPrevented(out, m)
	})
	page("/fleet", func(out io.Writer, _ *http.Request) error {
		m := console.Fleet{Place: place, Since: "30d"}
		if n > 0 {
			m.Report = w.fleet()
		}
		return console.RenderFleet(out, m)
	})
	page("/rules", func(out io.Writer, _ *http.Request) error {
		return console.RenderRules(out, w.rules(place))
	})
	page("/sessions/{id}", func(out io.Writer, _ *http.Request) error {
		return console.RenderSession(
			out,
			console.Session{Place: place, Report: w.report(), Said: w.said(), Children: list[:min(n, 2)], From: 1},
		)
	})
	page("/runs/{id}", func(out io.Writer, _ *http.Request) error {
		m := w.run()
		m.Place = place
		return console.RenderRun(out, m)
	})
	page("/answer", func(out io.Writer, _ *http.Request) error {
		return console.RenderQuestion(
			out,
			console.Question{
				Place: place, Answer: console.Answer{Act: console.ActResume, Of: w.id}, Problem: "give a reason, for the record",
			},
		)
	})
	return mux
}

// rules returns some that a person changed, tried in their history.
func (w world) rules(place console.Place) console.RulesModel {
	changed := []rules.Difference{
		{Path: "dispatch.thresholds.queue", Was: "2.0", Is: "3.3"},
		{Path: "words." + w.project, Was: "", Is: w.says},
	}
	settings := map[string]string{
		"dispatch.thresholds.queue": "3.3",
		"dispatch.thresholds.fire":  "4.0",
		"dispatch.budget":           "3",
	}
	shipped := map[string]string{
		"dispatch.thresholds.queue": "2.0",
		"dispatch.thresholds.fire":  "4.0",
		"dispatch.budget":           "3",
	}
	m := console.RulesModel{
		Place:   place,
		Command: "scaffoldwatch backtest --rules " + w.command,
		Rules: console.Rules{
			File: "/home/me/" + w.project + "/rules.yaml", Version: "2026.11", Config: "abc", Changed: changed, Settings: settings, Shipped: shipped,
		},
	}
	for _, id := range []string{"A1", "B1", "C1", "D2", "E1"} {
		m.Rules.Detectors = append(m.Rules.Detectors, console.Watcher{ID: id, Title: w.task, Mode: "on"})
	}
	m.Backtest = &backtestreport.Model{
		Given: backtestreport.Rules{
			Hash: "abc",
		}, Settings: changed, Sessions: 9, Turns: 62, Changed: 4, Interrupts: backtestreport.Pair{Present: 8, Given: 5},
		Detectors: []backtestreport.Detector{
			{ID: "D2", Interrupts: backtestreport.Pair{Present: 3, Given: 1}, Verdict: "D2: " + w.says},
		},
	}
	return m
}

// views are all of them, by name.
var views = map[string]string{
	"needs": "/", "live": "/live", "board": "/live?as=board", "prevented": "/prevented", "fleet": "/fleet", "rules": "/rules", "session": "/sessions/x", "run": "/runs/nightly", "answer": "/answer",
}

// CO-15, CO-16: every view, with none, few and many sessions, with texts that are hostile, long or
// written from right to left, fits a phone and a screen and is accessible; no text becomes HTML.
func TestEveryViewInABrowser(t *testing.T) {
	b := browser.Start(t, 1440, 900)
	for name, c := range map[string]struct {
		world
		sessions int
	}{"none": {plain, 0}, "few": {plain, 5}, "many": {plain, 5000}, "hostile": {hostile, 5}, "rtl": {rightToLeft, 5}} {
		server := httptest.NewServer(c.handler(c.sessions, "the-key"))
		defer server.Close()
		for view, path := range views {
			b.Do(chromedp.Navigate(server.URL + path))
			b.Dark(false)
			require.NotEqual(t, "broken", browser.Value[string](b, "document.title"))
			require.Equal(
				t,
				"0",
				browser.Value[string](
					b,
					`String(document.querySelectorAll("main img, main script, main b[onmouseover]").length)`,
				),
				"%s, %s",
				name,
				view,
			)
			b.AtAllWidths(name + "-" + view)
			b.Accessible(name + " " + view)
			b.Shot(name + "-" + view + "-dark")
		}
	}
}

// A view is at most 150 KB to its first paint, its style and script included (CO-15).
func TestViewsAreSmall(t *testing.T) {
	for name, w := range map[string]world{"plain": plain, "hostile": hostile} {
		for view, path := range views {
			answer := httptest.NewRecorder()
			w.handler(5000, "the-key").ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, http.NoBody))
			require.Equal(t, http.StatusOK, answer.Code, answer.Body)
			require.Less(t, answer.Body.Len()+len(console.Style)+len(console.Script), 150<<10, "%s, %s", name, view)
		}
	}
}
