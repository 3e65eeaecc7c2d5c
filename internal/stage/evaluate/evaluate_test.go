package evaluate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// echo finds one thing per PLAN segment and is corrected by the word "undone".
type echo struct{}

func (echo) NewState() any { return &struct{ Turns int }{} }

func (echo) Run(p *detect.Pass) []detect.Finding {
	p.State.(*struct{ Turns int }).Turns++
	var out []detect.Finding
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; s.Kind == sessionevents.SegmentPlan {
			subject := s.Text
			for _, peer := range p.Peers {
				subject += " beside " + peer.Session
			}
			out = append(out, detect.Finding{Subject: subject, Confidence: 1, ReworkCost: 3, Message: "m", Reason: "r", Evidence: []sessionevents.Evidence{detect.Whole(s)}})
		}
	}
	return out
}

func (echo) Judge(p *detect.Pass, _ *sessionevents.Signal) (sessionevents.Outcome, string) {
	for _, s := range p.Turn.Segments {
		if strings.Contains(s.Text, "undone") {
			return sessionevents.OutcomeCorrected, "undone"
		}
	}
	return sessionevents.OutcomeOpen, ""
}

func echoDetector() *detect.Detector {
	doc := "# A1 echo\n"
	for _, s := range detect.Sections {
		doc += "\n## " + s + "\n\nText.\n"
	}
	return &detect.Detector{
		ID: "A1", Name: "echo", Class: sessionevents.ClassA, Title: "Echo", Doc: doc, Rules: []string{"A1"},
		New: func(*rules.Set) (detect.Instance, error) { return echo{}, nil },
	}
}

func machine(t testing.TB, overrides string) *Machine {
	t.Helper()
	set, err := rules.Load("test.yaml", []byte(overrides))
	require.NoError(t, err)
	m, err := New(Options{Detectors: []*detect.Detector{echoDetector()}, Rules: set})
	require.NoError(t, err)
	return m
}

func input(subject string, data any) step.Input {
	typ := events.Type(sessionevents.TypeTurnSegmented)
	switch data.(type) {
	case *sessionevents.SessionOpened:
		typ = sessionevents.TypeSessionOpened
	case *sessionevents.SessionClosed:
		typ = sessionevents.TypeSessionClosed
	case *runevents.OperatorAct:
		typ = runevents.TypeOperatorAct
	}
	return step.Input{Event: events.Event{ID: fmt.Sprint("e-", subject), Source: "/test", Type: typ, Subject: subject, Time: time.Unix(1, 0).UTC(), PartitionKey: "run", Data: data}}
}

func segmented(session string, number int, segments ...sessionevents.Segment) *sessionevents.TurnSegmented {
	for i := range segments {
		segments[i].Index = i
	}
	return &sessionevents.TurnSegmented{Session: session, Turn: number, TurnID: fmt.Sprint("t", number), Segments: segments}
}

func plan(text string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: text}
}

func user(text string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentUser, Text: text}
}

func fold(t require.TestingT, m *Machine, state *State, in step.Input) (*State, []events.Event) {
	out := step.NewEmitter(m.Stage(), m.Identity(), in.Event)
	state, err := m.Step(state, in, out)
	require.NoError(t, err)
	return state, out.Events()
}

func marker(t require.TestingT, list []events.Event) *sessionevents.TurnEvaluated {
	last, ok := list[len(list)-1].Data.(*sessionevents.TurnEvaluated)
	require.True(t, ok, "the last event closes the turn")
	return last
}

// DP-10: a turn's signals in order, then turn.evaluated with their ids.
func TestATurnIsClosedByItsMarker(t *testing.T) {
	m := machine(t, "")
	state := m.New("run")
	state, out := fold(t, m, state, input("s", segmented("s", 1, user("Build it."), plan("one"), plan("two"))))
	require.Len(t, out, 3)
	last := marker(t, out)
	require.Equal(t, []string{out[0].Data.(*sessionevents.Signal).ID, out[1].Data.(*sessionevents.Signal).ID}, last.Signals)
	require.Equal(t, map[sessionevents.SegmentKind]int{"USER": 1, "PLAN": 2}, last.Observed.Segments)
	require.False(t, last.Observed.NoBaseline)
	require.Empty(t, last.Pending)
	for _, ev := range out {
		require.Equal(t, "/scaffoldwatch/evaluator", ev.Source)
		require.Equal(t, "e-s", ev.CausationID)
		require.Equal(t, "run", ev.PartitionKey)
	}

	state, out = fold(t, m, state, input("s", segmented("s", 2)))
	require.Equal(t, []sessionevents.Outcome{"open", "open"}, outcomes(marker(t, out)))
	_, out = fold(t, m, state, input("s", segmented("s", 3, user("undone"))))
	require.Equal(t, []sessionevents.Outcome{"corrected", "corrected"}, outcomes(marker(t, out)))
	_, out = fold(t, m, state, input("s", segmented("s", 4)))
	require.Empty(t, marker(t, out).Pending)
}

func outcomes(e *sessionevents.TurnEvaluated) []sessionevents.Outcome {
	var out []sessionevents.Outcome
	for _, p := range e.Pending {
		out = append(out, p.Outcome)
	}
	return out
}

// EV-5: what the evaluator does not consume is passed on as it came.
func TestOtherEventsAreForwarded(t *testing.T) {
	m := machine(t, "")
	state := m.New("run")
	for _, data := range []any{&sessionevents.SessionOpened{Session: "s"}, &sessionevents.SessionClosed{Session: "s"}, &sessionevents.SessionClosed{Session: "unknown"}, &runevents.OperatorAct{Act: "mute"}} {
		in := input("s", data)
		var out []events.Event
		state, out = fold(t, m, state, in)
		require.Equal(t, []events.Event{in.Event}, out)
	}
	require.True(t, state.Sessions["s"].Closed)
}

// EV-9: a timer is kept where it was set; passed on, it would be set twice.
func TestTimersStayWithTheirStage(t *testing.T) {
	m := machine(t, "")
	in := input("s", &events.TimerSet{Name: "session.idle", Session: "s", Due: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)})
	in.Event.Type = events.TypeTimerSet
	_, out := fold(t, m, m.New("run"), in)
	require.Empty(t, out)
}

// SW-1: a subagent's session has its parent's baseline; sessions of one run see
// each other.
func TestSubagentsInheritAndPeersAreSeen(t *testing.T) {
	m := machine(t, "")
	state := m.New("run")
	state, _ = fold(t, m, state, input("parent", &sessionevents.SessionOpened{Session: "parent", Task: "Fix the login."}))
	child := segmented("child", 1, plan("build"))
	child.Agent.ParentSession = "parent"
	_, out := fold(t, m, state, input("child", child))
	require.False(t, marker(t, out).Observed.NoBaseline)
	require.Equal(t, "parent", marker(t, out).Observed.Agent.ParentSession)
	require.Equal(t, "build beside parent", out[0].Data.(*sessionevents.Signal).Subject)
	_, out = fold(t, m, state, input("stranger", segmented("stranger", 1)))
	require.True(t, marker(t, out).Observed.NoBaseline)
}

func TestTheParentMayBecomeKnownLater(t *testing.T) {
	m := machine(t, "")
	state := m.New("run")
	for n := range 2 {
		child := segmented("child", n+1)
		child.Agent.ParentSession = "parent"
		_, out := fold(t, m, state, input("child", child))
		require.Equal(t, n == 0, marker(t, out).Observed.NoBaseline)
		fold(t, m, state, input("parent", segmented("parent", 1, user("Fix the login."))))
	}
}

func TestObservationsCountEdits(t *testing.T) {
	m := machine(t, "")
	diff := func(path string, lines ...string) sessionevents.Segment {
		return sessionevents.Segment{Kind: sessionevents.SegmentDiff, Path: path, Diff: &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: lines}}}}
	}
	failed := diff("c.go", "+x")
	failed.Diff.Failed = true
	shown := diff("d.go", "+x")
	shown.Proposed = true
	_, out := fold(t, m, m.New(""), input("s", segmented("s", 1, diff("a.go", "+x", "-y", "-z"), diff("a.go", "+x"), diff("a_test.go", "+x"), failed, shown, sessionevents.Segment{Kind: sessionevents.SegmentError})))
	o := marker(t, out).Observed
	require.Equal(t, []string{"a.go", "a_test.go"}, o.FilesEdited)
	require.Equal(t, []int{1, 3, 2, 1}, []int{o.TestsEdited, o.LinesAdded, o.LinesGone, o.Errors})
}

// DP-31: test cases are counted in every language's own way, less those removed.
func TestObservationsCountTestCases(t *testing.T) {
	m := machine(t, "")
	for _, test := range []struct {
		path  string
		lines []string
		want  int
	}{
		{"store_test.go", []string{"+func TestPut(t *testing.T) {", "+}", "+func FuzzPut(f *testing.F) {"}, 2},
		{"store_test.go", []string{"+func TestPutAll(t *testing.T) {", "-func TestPut(t *testing.T) {"}, 0},
		{"store_test.go", []string{"-func TestPut(t *testing.T) {"}, -1},
		{"store.go", []string{"+func TestPut(t *testing.T) {"}, 0},
		{"tests/test_store.py", []string{"+    async def test_put(self):", "+def helper():"}, 1},
		{"web/cart.test.ts", []string{"+  it('adds', () => {", "+  test.each([1])('n', () => {})", "+  await test2()"}, 2},
		{"web/cart.ts", []string{"+  it('adds', () => {"}, 0},
		{"src/lib.rs", []string{"+    #[test]", "+    #[tokio::test(flavor = \"x\")]"}, 2},
		{"CartTest.java", []string{"+  @Test", "+  @TestFactoryLike"}, 1},
		{"CartTests.cs", []string{"+    [Fact]", "+    [TestCase(1)]"}, 2},
		{"cart_spec.rb", []string{"+  it 'adds' do"}, 1},
		{"CartTest.php", []string{"+    public function testAdds(): void"}, 1},
		{"CartTests.swift", []string{"+    func testAdds() {"}, 1},
	} {
		diff := sessionevents.Segment{Kind: sessionevents.SegmentDiff, Path: test.path, Diff: &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: test.lines}}}}
		_, out := fold(t, m, m.New(""), input("s", segmented("s", 1, diff)))
		require.Equal(t, test.want, marker(t, out).Observed.TestsAdded, "%s %q", test.path, test.lines)
	}
}

// DP-16: a DIFF and, in the next turn, a PLAN.
func TestPausesReachOverTurns(t *testing.T) {
	m := machine(t, "")
	state := m.New("run")
	edit := sessionevents.Segment{Kind: sessionevents.SegmentDiff, Path: "a.go", Tool: &sessionevents.ToolCall{Name: "Edit"}, Diff: &sessionevents.Diff{Op: sessionevents.DiffUpdate}}
	_, out := fold(t, m, state, input("s", segmented("s", 1, edit)))
	require.False(t, marker(t, out).Pause.Natural)
	call := sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Name: "Read"}}
	_, out = fold(t, m, state, input("s", segmented("s", 2, plan("Next"), call)))
	require.Equal(t, sessionevents.Pause{Natural: true, Why: sessionevents.PauseDiffThenPlan}, marker(t, out).Pause)
}

// A group's sessions are bounded: closed ones leave first.
func TestSessionsAreBounded(t *testing.T) {
	m := machine(t, "evaluate: {sessions: 2}")
	state := m.New("run")
	for _, id := range []string{"a", "b"} {
		fold(t, m, state, input(id, segmented(id, 1)))
	}
	fold(t, m, state, input("b", &sessionevents.SessionClosed{Session: "b"}))
	fold(t, m, state, input("c", segmented("c", 1)))
	require.Contains(t, state.Sessions, "a")
	require.NotContains(t, state.Sessions, "b")
	fold(t, m, state, input("d", segmented("d", 1)))
	require.NotContains(t, state.Sessions, "a", "then the one silent for longest")
	require.Equal(t, 2, state.Dropped)
}

// DP-10, DP-33: a turn that could not be evaluated is closed all the same.
func TestPoisonedTurnsAreClosed(t *testing.T) {
	m := machine(t, "")
	in := input("s", segmented("s", 7))
	out := step.NewEmitter(m.Stage(), m.Identity(), in.Event)
	m.Options().Poisoned(in, "step panics", nil, out)
	require.Equal(t, &sessionevents.TurnEvaluated{Session: "s", Turn: 7, Signals: []string{}, Failed: "step panics"}, out.Events()[0].Data)
	other := input("s", &sessionevents.SessionClosed{Session: "s"})
	out = step.NewEmitter(m.Stage(), m.Identity(), other.Event)
	m.Options().Poisoned(other, "step panics", nil, out)
	require.Empty(t, out.Events())
}

func TestNewRefusesBadRules(t *testing.T) {
	for says, text := range map[string]string{
		"test.yaml:1: files.test":                    "files: {test: ['(']}",
		"test.yaml:1: evaluate.test_cases.0.files: ": "evaluate: {test_cases: [{files: '(', line: x}]}",
		"test.yaml:1: evaluate.test_cases.0.line: ":  "evaluate: {test_cases: [{files: x, line: '('}]}",
	} {
		set, err := rules.Load("test.yaml", []byte(text))
		require.NoError(t, err)
		_, err = New(Options{Rules: set})
		require.ErrorContains(t, err, says)
	}
}

func TestDecodeRefusesDamage(t *testing.T) {
	m := machine(t, "")
	for _, damaged := range []string{"", "{", `{"sessions":{"s":{"registry":{},"memory":{}}}}`, `{"sessions":{"s":1}}`} {
		_, err := m.Decode([]byte(damaged))
		require.Error(t, err, damaged)
	}
}

// The same events give the same bytes, whether the state lived on or went
// through snapshots (EV-2); snapshots are stable, and the size grows with them.
func TestSnapshotsChangeNothing(t *testing.T) {
	m := machine(t, "")
	rapid.Check(t, func(r *rapid.T) {
		live, stored := m.New("run"), m.New("run")
		turns := map[string]int{}
		for range rapid.IntRange(1, 12).Draw(r, "events") {
			in := drawInput(r, turns)
			var one, two []events.Event
			live, one = fold(r, m, live, in)
			stored, two = fold(r, m, stored, in)
			require.Equal(r, encoded(r, one), encoded(r, two))
			data, err := m.Encode(stored)
			require.NoError(r, err)
			again, err := m.Encode(live)
			require.NoError(r, err)
			require.Equal(r, string(data), string(again))
			stored, err = m.Decode(data)
			require.NoError(r, err)
			require.Positive(r, m.Size(stored))
		}
	})
}

func drawInput(r *rapid.T, turns map[string]int) step.Input {
	session := rapid.SampledFrom([]string{"a", "b"}).Draw(r, "session")
	switch rapid.IntRange(0, 5).Draw(r, "kind") {
	case 0:
		return input(session, &sessionevents.SessionOpened{Session: session, Task: "Fix the login.", Workspace: "/w"})
	case 1:
		return input(session, &sessionevents.SessionClosed{Session: session})
	}
	turns[session]++
	t := segmented(session, turns[session])
	if session == "b" {
		t.Agent.ParentSession = "a"
	}
	for i := range rapid.IntRange(0, 4).Draw(r, "segments") {
		s := rapid.SampledFrom([]sessionevents.Segment{
			user("Rewrite the login."), plan("I'll build a LoginForm."), plan("undone"),
			{Kind: sessionevents.SegmentDiff, Path: "a.go", Diff: &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: []string{"+func a() {}"}}}}},
			{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Name: "Read", Canonical: sessionevents.ToolRead}, Result: &sessionevents.ResultDigest{Hash: "x"}, Accesses: []sessionevents.Access{{Kind: sessionevents.AccessRead, Target: "a.go"}}},
		}).Draw(r, "segment")
		s.Index = i
		t.Segments = append(t.Segments, s)
	}
	return input(session, t)
}

func encoded(t require.TestingT, list []events.Event) string {
	var b strings.Builder
	for _, ev := range list {
		data, err := json.Marshal(ev.Data)
		require.NoError(t, err)
		b.WriteString(ev.ID + " " + string(ev.Type) + " " + string(data) + "\n")
	}
	return b.String()
}
