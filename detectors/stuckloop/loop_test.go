package stuckloop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// called is a turn with one call; a nil output is a result nobody published.
func called(number int, name, input string, output *string) *sessionevents.Turn {
	id := "call-" + strconv.Itoa(number)
	turn := &sessionevents.Turn{Session: "s", TurnID: strconv.Itoa(number), Format: "blocks", Blocks: []sessionevents.Block{
		{Type: sessionevents.BlockToolCall, ID: id, Name: name, Input: json.RawMessage(input)},
	}}
	if output != nil {
		turn.Blocks = append(turn.Blocks, sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: *output})
	}
	return turn
}

// Where no result is published, four calls in a row are a nudge, five a loop.
func TestUnknownResults(t *testing.T) {
	var turns []*sessionevents.Turn
	for i := range 10 {
		turns = append(turns, called(i, "lookup", fmt.Sprintf(`{"key":"k%d"}`, i/5), nil))
	}
	var got []string
	for _, s := range play(t, turns[5:]) {
		got = append(got, fmt.Sprintf("%d %s %d", s.Turn, s.Urgency, s.Streak))
	}
	require.Equal(t, []string{"4 2.0 4", "5 4.0 5"}, got)
}

// The state stays small however long the loop or the session is.
func TestStateIsBounded(t *testing.T) {
	set := rules.Default()
	suite, err := detect.NewSuite([]*detect.Detector{Detector}, set)
	require.NoError(t, err)
	session := detecttest.NewSession(t, set, nil)
	d, err := compile(set)
	require.NoError(t, err)
	m, memory := &memory{}, suite.NewMemory()
	for i := range 400 {
		out := "output number " + strconv.Itoa(i/9)
		pass := session.Next(called(i, "mcp__tracker__find_the_issue_by_its_title", fmt.Sprintf(`{"title":"%0200d"}`, i/9), &out))
		suite.Evaluate(pass, memory)
		pass.State = m
		d.Run(pass)
		session.Commit(pass)
	}
	data, err := json.Marshal(m)
	require.NoError(t, err)
	require.Less(t, len(data), 5<<10)
	require.Len(t, m.Steps, d.Window)
}

// A streak's length grows with each signal about its subject until something
// changes: the dispatcher tells by it whether a streak is new.
func TestStreaksGrow(t *testing.T) {
	suite, err := detect.NewSuite([]*detect.Detector{Detector}, rules.Default())
	require.NoError(t, err)
	rapid.Check(t, func(r *rapid.T) {
		live, stored := suite.NewMemory(), suite.NewMemory()
		lengths := map[string]int{}
		for n := range rapid.IntRange(4, 40).Draw(r, "turns") {
			pass := drawn(r, n+1)
			if len(pass.Turn.Segments[0].Path) > 0 {
				clear(lengths) // an edit
			}
			one, two := suite.Evaluate(pass, live), suite.Evaluate(pass, stored)
			require.Equal(r, asJSON(r, one), asJSON(r, two))
			require.Empty(r, one.Shortened)
			for _, s := range one.Signals {
				key := fmt.Sprint(s.Subclass, s.Subject, s.Evidence[0].ConflictsWith.Turn) // another result begins another streak
				require.Greater(r, s.Streak, lengths[key])
				lengths[key] = s.Streak
			}
			data, err := suite.EncodeMemory(stored)
			require.NoError(r, err)
			stored, err = suite.DecodeMemory(data)
			require.NoError(r, err)
		}
	})
}

// A turn is followed once for all streaks: each gets what following it for that streak alone gives.
// The memory stays as it is, and nothing of the turn is kept.
func TestTurnsAreForeseenForAllStreaks(t *testing.T) {
	d, err := compile(rules.Default())
	require.NoError(t, err)
	worked := 0
	rapid.Check(t, func(r *rapid.T) {
		m := &memory{}
		for n := range rapid.IntRange(4, 40).Draw(r, "turns") {
			pass := drawn(r, n+1)
			pass.State = m
			before := asJSON(r, m)
			for i := range m.Streaks {
				k := &m.Streaks[i]
				if slices.ContainsFunc(m.Streaks[:i], func(o streak) bool { return o.Subject == k.Subject }) {
					continue // the first of a subject is judged
				}
				later, works := &watch{instance: d, memory: m.copy(), pass: pass}, false
				for _, a := range acts(pass.Turn) {
					one := call{later, a}
					works = works || one.goesWell(k)
					one.follow()
				}
				if works {
					worked++
				}
				want, reason := k.outcome(later, works)
				got, why := d.Judge(pass, &sessionevents.Signal{Subject: k.Subject})
				require.Equal(r, want, got)
				require.Equal(r, reason, why)
			}
			require.Equal(r, before, asJSON(r, m))
			d.Run(pass)
			require.Nil(r, m.foreseen)
		}
	})
	require.Positive(t, worked)
}

// drawn is a turn with one call of few, or with an edit.
func drawn(r *rapid.T, number int) *detect.Pass {
	s := sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Name: "lookup", CallID: strconv.Itoa(number)}}
	s.Tool.InputHash = rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(r, "key")
	s.Result = &sessionevents.ResultDigest{Bytes: 9, Head: "some rows", Hash: rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(r, "result")}
	if rapid.IntRange(0, 9).Draw(r, "edit") == 0 {
		s.Kind, s.Path, s.Diff = sessionevents.SegmentDiff, "a.py", &sessionevents.Diff{Op: sessionevents.DiffUpdate}
	}
	segments := []sessionevents.Segment{s}
	if s.Path == "" && rapid.IntRange(0, 3).Draw(r, "failed") == 0 {
		failure := sessionevents.Segment{Index: 1, Kind: sessionevents.SegmentError, Tool: s.Tool, Result: s.Result, Error: &sessionevents.ErrorInfo{Signature: "no such row"}}
		segments = append(segments, failure)
	}
	return &detect.Pass{Turn: &sessionevents.TurnSegmented{Session: "s", Turn: number, Segments: segments}, Before: &registry.Registry{}, Additions: &registry.Turn{Number: number}}
}

func asJSON(t require.TestingT, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

func TestSameCommand(t *testing.T) {
	d, err := compile(rules.Default())
	require.NoError(t, err)
	key := func(command, input string) uint32 {
		return d.key(&act{segment: &sessionevents.Segment{Tool: &sessionevents.ToolCall{Name: "Bash", Command: command, Input: json.RawMessage(input), InputHash: command + input}}}, "/srv/app")
	}
	ls := key("ls -la src", `{"description":"List"}`)
	require.Equal(t, ls, key("  ls   -la src ", `{"description":"List again"}`))
	require.Equal(t, ls, key("# look\nls -la src\n", ""))
	require.NotEqual(t, ls, key("ls -la lib", ""))
	require.NotEqual(t, ls, key("ls -la src", `{"workdir":"/srv/other"}`))
	require.NotEqual(t, key("python - <<E\nif a:\n  b\nE", ""), key("python - <<E\nif a:\n b\nE", ""), "indentation is code")
	require.NotEqual(t, key("grep 'a  b' f", ""), key("grep 'a b' f", ""))
	require.Equal(t, ls, key(`ls "-la" 'src'`, ""), "quotes that change nothing")
	require.NotEqual(t, key("echo '*'", ""), key("echo *", ""))
	require.Equal(t, ls, key("cd /srv/app && ls -la src", ""), "where commands run anyway")
	require.Equal(t, key("cd /srv/lib && make", ""), key("cd '/srv/lib';  make", ""))
	require.NotEqual(t, key("cd /srv/lib && make", ""), key("make", ""))
}

// No command or input makes it panic.
func FuzzIdentity(f *testing.F) {
	f.Add("ls  # x\n\t", `{"workdir":"a","title":[1,{"b":2}]}`)
	f.Add("", `{"`)
	f.Add("'\x00", `"x"`)
	d, err := compile(rules.Default())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, command, input string) {
		for _, call := range []*sessionevents.ToolCall{{Name: "Bash", Command: command, Input: json.RawMessage(input)}, {Name: command, Input: json.RawMessage(input)}} {
			a := &act{segment: &sessionevents.Segment{Tool: call}}
			require.Equal(t, d.key(a, ""), d.key(a, ""))
			require.Equal(t, d.target(a), d.target(a))
			require.LessOrEqual(t, len([]rune(d.label(a))), labelRunes+1)
		}
	})
}
