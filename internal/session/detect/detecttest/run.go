package detecttest

import (
	"flag"
	"os"
	"path/filepath"
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
