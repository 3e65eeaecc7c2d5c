package detecttest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// Run checks a detector: its documentation is complete, each file in its package's
// testdata passes, and there are firing and silent files.
func Run(t *testing.T, detector *detect.Detector) {
	t.Helper()
	RunWith(t, detector, rules.Default())
}

// RunWith is Run with other rules.
func RunWith(t *testing.T, detector *detect.Detector, set *rules.Set) {
	t.Helper()
	require.NoError(t, detect.Validate(detector))
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	kinds := map[string]int{}
	suite, err := detect.NewSuite([]*detect.Detector{detector}, set)
	require.NoError(t, err)
	first := NewSession(t, set, nil) // rules are compiled once, which takes longer than the scripts
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		for _, kind := range []string{"firing", "silent"} {
			if strings.HasPrefix(name, kind) {
				kinds[kind]++
			}
		}
		t.Run(name, func(t *testing.T) { runFile(t, detector.ID, suite, first, path) })
	}
	require.NotZero(t, kinds["firing"], "detector %s has no testdata/firing*.txt", detector.ID)
	require.NotZero(t, kinds["silent"], "detector %s has no testdata/silent*.txt", detector.ID)
}

func runFile(t *testing.T, id string, suite *detect.Suite, first *Session, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s, err := scenario.Parse(string(text))
	require.NoError(t, err, path)
	results := evaluate(t, suite, first, s)
	known := map[string]string{}
	var rendered []string
	for i, step := range s.Steps {
		got := render(results[i], known)
		rendered = append(rendered, got)
		if !*update {
			require.Equal(t, step.Expected, got, "%s, turn %d:\n%s", path, i+1, step.Source)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(s.Rewritten(rendered)), 0o644))
	}
	checkKind(t, path, id, results)
}

// evaluate plays the script. Between turns the detector's state is encoded and decoded,
// so that a state that does not survive this is found here.
func evaluate(t *testing.T, suite *detect.Suite, first *Session, s *scenario.Script) []detect.Result {
	session := first.fresh()
	session.open(s.Opened)
	group := newGroup(session, suite)
	var results []detect.Result
	for i := range s.Steps {
		require.NotNil(t, s.Steps[i].Turn, "step %d: a detector's script holds turns only", i+1)
		session := group.of(s.Steps[i].Turn.Session)
		pass := session.Next(s.Steps[i].Turn)
		pass.Peers = group.peersOf(s.Steps[i].Turn.Session)
		if at := s.Steps[i].At; at > 0 {
			pass.At = time.Unix(0, 0).Add(at)
		}
		result := suite.Evaluate(pass, session.memory)
		require.Empty(t, result.Shortened, "turn %d: messages have at most 40 words (SW-30)", i+1)
		for k := range result.Signals {
			require.Empty(t, detect.Faults(result.Signals[k].Message), "turn %d: %s", i+1, result.Signals[k].Message)
		}
		results = append(results, result)
		session.Commit(pass)
		data, err := suite.EncodeMemory(session.memory)
		require.NoError(t, err)
		session.memory, err = suite.DecodeMemory(data)
		require.NoError(t, err)
	}
	return results
}

func checkKind(t *testing.T, path, id string, results []detect.Result) {
	sent := 0
	for _, r := range results {
		for _, s := range r.Signals {
			if s.Detector == id && s.Suppressed == "" {
				sent++
			}
		}
	}
	switch name := filepath.Base(path); {
	case strings.HasPrefix(name, "firing"):
		require.NotZero(t, sent, "%s: no signal of %s fires", path, id)
	case strings.HasPrefix(name, "silent"):
		require.Zero(t, sent, "%s: %s is not silent", path, id)
	}
}

// render returns a turn's result in the form of expectations. known maps the ids of
// earlier signals to their short names.
func render(result detect.Result, known map[string]string) string {
	var b strings.Builder
	for _, p := range result.Pending {
		fmt.Fprintf(&b, "%s is %s: %s\n", known[p.ID], p.Outcome, p.Why)
	}
	for i := range result.Signals {
		s := &result.Signals[i]
		known[s.ID] = fmt.Sprintf("%s of turn %d about %q", s.Detector, s.Turn, s.Subject)
		scenario.WriteSignal(&b, s)
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

// group holds the sessions of a script, which belong to one run: "turn session=other" is
// a turn of another session, whose work counts for A1 and A3 (SW-1).
type group struct {
	suite    *detect.Suite
	first    *Session
	sessions map[string]*member
}

// member is a session with the detector's memory of it.
type member struct {
	*Session
	memory *detect.Memory
}

func newGroup(first *Session, suite *detect.Suite) *group {
	return &group{suite: suite, first: first, sessions: map[string]*member{}}
}

// of returns the session with an id. The first session with a turn is the one that was
// opened.
func (g *group) of(id string) *member {
	if m, ok := g.sessions[id]; ok {
		return m
	}
	m := &member{Session: g.first, memory: g.suite.NewMemory()}
	if len(g.sessions) > 0 {
		m.Session = g.first.fresh()
	}
	g.sessions[id] = m
	return m
}

// peersOf returns the other sessions in order of id.
func (g *group) peersOf(id string) []detect.Peer {
	var out []detect.Peer
	for _, other := range slices.Sorted(maps.Keys(g.sessions)) {
		if other != id {
			out = append(out, detect.Peer{Session: other, Registry: g.sessions[other].registry})
		}
	}
	return out
}
