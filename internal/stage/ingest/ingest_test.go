package ingest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// masks replaces one word, so that a test sees what was redacted.
type masks struct{}

func (masks) Turn(t sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding) {
	t.Text = strings.ReplaceAll(t.Text, "hush", "‹secret›")
	t.Blocks = slices.Clone(t.Blocks)
	for i := range t.Blocks {
		b := &t.Blocks[i]
		b.Text, b.Output = strings.ReplaceAll(b.Text, "hush", "‹secret›"), strings.ReplaceAll(b.Output, "hush", "‹secret›")
	}
	return t, nil
}

func (masks) Repeats(t sessionevents.Turn, _ []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding) {
	return t, nil
}

func (masks) JSON(raw json.RawMessage) (json.RawMessage, []sessionevents.SecretFinding) {
	return json.RawMessage(strings.ReplaceAll(string(raw), "hush", "‹secret›")), nil
}

func (m masks) With(*redact.Memory) redact.Cleaner { return m }

func (masks) Text(text, _ string) (string, []sessionevents.SecretFinding) {
	return strings.ReplaceAll(text, "hush", "‹secret›"), nil
}

// plain makes one segment of a turn.
type plain struct{}

func (plain) Cut(t *sessionevents.Turn, number int, workspace string, _ []sessionevents.SecretFinding) *sessionevents.TurnSegmented {
	return &sessionevents.TurnSegmented{
		Session: t.Session, Turn: number, TurnID: t.TurnID, Run: t.Run,
		Segments: []sessionevents.Segment{{Kind: sessionevents.SegmentPlan, Text: t.Text, Path: workspace}},
	}
}

var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// bench feeds one machine and keeps its state.
type bench struct {
	t       *testing.T
	machine *Machine
	state   *State
	n       int
}

func newBench(t *testing.T) *bench {
	m := New(Options{Redactor: masks{}, Cutter: plain{}, IdleTimeout: time.Hour})
	return &bench{t: t, machine: m, state: m.New("s1")}
}

func (b *bench) feed(typ events.Type, data any, arrived time.Time, change ...func(*events.Event)) ([]events.Event, error) {
	b.n++
	ev := events.Event{ID: string(typ) + string(rune('a'+b.n)), Source: "/test", Type: typ, Subject: "s1", Time: start.Add(time.Duration(b.n) * time.Minute), Data: data}
	for _, c := range change {
		c(&ev)
	}
	out := step.NewEmitter("ingest", step.Identity{}, ev)
	next, err := b.machine.Step(b.state, step.Input{Event: ev, Arrived: arrived}, out)
	if err == nil {
		b.state = next
	}
	return out.Events(), err
}

func (b *bench) turn(id, text string, change ...func(*events.Event)) *sessionevents.TurnSegmented {
	b.t.Helper()
	out, err := b.feed(sessionevents.TypeTurnRaw, &sessionevents.Turn{Session: "s1", TurnID: id, Format: "markdown", Text: text}, time.Time{}, change...)
	require.NoError(b.t, err)
	if len(out) == 0 {
		return nil
	}
	require.Equal(b.t, events.Type(sessionevents.TypeTurnSegmented), out[0].Type)
	return out[0].Data.(*sessionevents.TurnSegmented)
}

func TestTurnsAreNumberedAndRedacted(t *testing.T) { // SW-1, SW-7
	b := newBench(t)
	require.Equal(t, 1, b.turn("a", "first").Turn)
	second := b.turn("b", "say hush")
	require.Equal(t, 2, second.Turn)
	require.Equal(t, "say ‹secret›", second.Segments[0].Text)
	require.Equal(t, len("say hush"), second.Bytes)
}

func TestRepeatedTurnChangesNothing(t *testing.T) { // SW-1a
	b := newBench(t)
	b.turn("a", "first")
	require.Nil(t, b.turn("a", "first"))
	require.Equal(t, 2, b.turn("b", "second").Turn)
	require.Equal(t, 1, b.state.Sessions["s1"].Duplicates)
	again := b.turn("a", "first", func(e *events.Event) { e.Extensions = map[string]string{events.RetryExtension: "x"} })
	require.Equal(t, 3, again.Turn, "a person's retry is evaluated again")
}

func TestSameIDOtherContentIsAFork(t *testing.T) { // SW-1a
	b := newBench(t)
	b.turn("a", "first")
	b.turn("b", "second")
	fork := b.turn("b", "another second")
	require.Equal(t, &sessionevents.Continuity{Fork: true, ForkOf: "b"}, fork.Continuity)
	require.Equal(t, 3, fork.Turn)
}

func TestDisorderAndResumption(t *testing.T) { // SW-1a
	b := newBench(t)
	b.turn("a", "first")
	late := b.turn("b", "earlier by its clock", func(e *events.Event) { e.Time = start.Add(-time.Hour) })
	require.True(t, late.Continuity.OutOfOrder)
	require.Equal(t, 2, late.Turn, "arrival order counts")
	out, err := b.feed(sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "s1", Reason: "completed"}, time.Time{})
	require.NoError(t, err)
	require.Len(t, out, 1)
	require.True(t, b.turn("c", "back again").Continuity.Resumed)
	out, err = b.feed(sessionevents.TypeTurnRaw, &sessionevents.Turn{Session: "s1", TurnID: "d", Format: "markdown", Text: "x", Compacted: true, ForkOf: "a"}, time.Time{})
	require.NoError(t, err)
	require.Equal(t, &sessionevents.Continuity{Fork: true, ForkOf: "a", Compacted: true}, out[0].Data.(*sessionevents.TurnSegmented).Continuity)
}

func TestForwardedEventsAreRedactedAndKeepUnknownFields(t *testing.T) { // SW-7, EV-3, EV-5
	b := newBench(t)
	raw := json.RawMessage(`{"session":"s1","task":"hush","later":{"x":"hush"}}`)
	out, err := b.feed(sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{Session: "s1", Task: "hush"}, time.Time{}, func(e *events.Event) { e.Raw = raw })
	require.NoError(t, err)
	require.Len(t, out, 1)
	require.Equal(t, "‹secret›", out[0].Data.(*sessionevents.SessionOpened).Task)
	require.JSONEq(t, `{"session":"s1","task":"‹secret›","later":{"x":"‹secret›"}}`, string(out[0].Raw))
	b.n--
	out, err = b.feed(sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{Session: "s1", Task: "hush"}, time.Time{})
	require.NoError(t, err)
	require.Empty(t, out, "the same event again is a duplicate")
}

func TestBadInputIsRefused(t *testing.T) { // EV-3
	b := newBench(t)
	b.machine.options.NativeBlocks = func(string, json.RawMessage) ([]sessionevents.Block, []string, error) {
		return nil, nil, errors.New("no such format")
	}
	_, err := b.feed(sessionevents.TypeTurnRaw, &sessionevents.Turn{Session: "s1", TurnID: "a", Format: "codex", Native: json.RawMessage(`{}`)}, time.Time{})
	require.ErrorContains(t, err, "read native codex turn: no such format")
	_, err = b.feed(sessionevents.TypeTurnRaw, &sessionevents.Turn{Session: "not an id", TurnID: "a", Format: "markdown", Text: "x"}, time.Time{})
	require.Error(t, err)
}

func TestIdleSessionIsClosedByItsTimer(t *testing.T) { // DP-30, EV-9
	b := newBench(t)
	turn := func(id string, arrived time.Time) []events.Event {
		out, err := b.feed(sessionevents.TypeTurnRaw, &sessionevents.Turn{Session: "s1", TurnID: id, Format: "markdown", Text: id}, arrived)
		require.NoError(t, err)
		return out
	}
	timer := func(arrived time.Time) []events.Event {
		out, err := b.feed(events.TypeTimerExpired, &events.TimerExpired{Name: idleTimer, Session: "s1", Due: arrived}, arrived)
		require.NoError(t, err)
		return out
	}
	out := turn("a", start)
	require.Equal(t, start.Add(time.Hour), out[1].Data.(*events.TimerSet).Due)
	require.Len(t, turn("b", start.Add(40*time.Minute)), 1, "one timer at a time")

	out = timer(start.Add(time.Hour))
	require.Equal(t, start.Add(100*time.Minute), out[0].Data.(*events.TimerSet).Due, "it went on meanwhile")
	out = timer(start.Add(100 * time.Minute))
	require.Equal(t, &sessionevents.SessionClosed{Session: "s1", Reason: "idle_timeout"}, out[0].Data)
	require.Empty(t, timer(start.Add(200*time.Minute)), "closed once")
}

// GD-21: what the guard answered is passed on once, without secrets; a spool that is taken in
// twice changes nothing, and no turn begins with it.
func TestTheGuardsAnswersArePassedOnOnce(t *testing.T) {
	b := newBench(t)
	same := func(e *events.Event) { e.ID = "g" }
	decided := &sessionevents.GuardDecided{Session: "s1", Command: "rm hush", Verdict: sessionevents.HookDeny, Acts: []sessionevents.GuardAct{{Act: "delete", Target: "/r/hush"}}}
	out, err := b.feed(sessionevents.TypeGuardDecided, decided, time.Time{}, same)
	require.NoError(t, err)
	require.Len(t, out, 1)
	passed := out[0].Data.(*sessionevents.GuardDecided)
	require.Equal(t, "rm ‹secret›", passed.Command)
	require.Equal(t, "/r/‹secret›", passed.Acts[0].Target)
	out, err = b.feed(sessionevents.TypeGuardDecided, decided, time.Time{}, same)
	require.NoError(t, err)
	require.Empty(t, out)
	require.Equal(t, 1, b.turn("a", "first").Turn)
}

// AD-1, SW-7: a model's answer is passed on once, without secrets, also where it quotes one.
func TestSecondOpinionsArePassedOnOnce(t *testing.T) {
	b := newBench(t)
	same := func(e *events.Event) { e.ID = "o" }
	opinion := &sessionevents.OpinionRecorded{
		Session: "s1", Question: "q", Kind: sessionevents.QuestionSignal, Signal: "x", Turn: 1, Why: "It prints hush.", Quotes: []string{"echo hush"}, Model: "m", PromptDigest: "p",
	}
	out, err := b.feed(sessionevents.TypeOpinionRecorded, opinion, time.Time{}, same)
	require.NoError(t, err)
	require.Len(t, out, 1)
	passed := out[0].Data.(*sessionevents.OpinionRecorded)
	require.Equal(t, "It prints ‹secret›.", passed.Why)
	require.Equal(t, []string{"echo ‹secret›"}, passed.Quotes)
	out, err = b.feed(sessionevents.TypeOpinionRecorded, opinion, time.Time{}, same)
	require.NoError(t, err)
	require.Empty(t, out)
}

// JD-20: what a look at the workspace showed is passed on once, its paths without secrets, and no turn
// begins with it.
func TestALookAtTheWorkspaceIsPassedOn(t *testing.T) {
	b := newBench(t)
	same := func(e *events.Event) { e.ID = "o" }
	seen := &sessionevents.WorkspaceObserved{Session: "s1", Asked: []sessionevents.ObservedQuestion{sessionevents.AskedPaths}, Paths: []sessionevents.ObservedPath{{Path: "keys/hush", Exists: true}}}
	out, err := b.feed(sessionevents.TypeWorkspaceObserved, seen, time.Time{}, same)
	require.NoError(t, err)
	require.Len(t, out, 1)
	require.Equal(t, "keys/‹secret›", out[0].Data.(*sessionevents.WorkspaceObserved).Paths[0].Path)
	out, err = b.feed(sessionevents.TypeWorkspaceObserved, seen, time.Time{}, same)
	require.NoError(t, err)
	require.Empty(t, out)
	require.Equal(t, 1, b.turn("a", "first").Turn)
}
