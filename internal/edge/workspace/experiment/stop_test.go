package experiment

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// stopping runs checks after responses of a project whose tests pass while the file state says good.
type stopping struct {
	*AtStop
	root     string
	receipts chan *sessionevents.CheckObserved
	log      *safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func stopped(t *testing.T, recipe string) *stopping {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	claims, err := ledger.Load(rules.Default())
	require.NoError(t, err)
	s := &stopping{
		root:     project(t, "Makefile", "test:\n"+recipe, "state", "good\n"),
		receipts: make(chan *sessionevents.CheckObserved, 10), log: &safeBuffer{},
	}
	s.AtStop = &AtStop{
		Finder: finder(t), Claims: claims, Limit: time.Minute,
		Consents: Consents{filepath.Join(t.TempDir(), "checks.json")},
		Redact:   func(text string) string { return strings.ReplaceAll(text, "hidden", "‹secret›") },
		Publish:  func(_ context.Context, r *sessionevents.CheckObserved) error { s.receipts <- r; return nil },
		Log:      slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return s
}

func (s *stopping) allow(t *testing.T) {
	c, found := s.Finder.Find(s.root, sessionevents.CheckTest)
	require.True(t, found)
	require.NoError(t, s.Consents.Give(s.root, c))
}

func (s *stopping) says(text string, turn int) {
	s.Stopped(Response{Session: "s1", Workspace: s.root, Text: text, Turn: turn, At: time.Now()})
}

func (s *stopping) logs(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), text) }, time.Minute, time.Millisecond)
}

func (s *stopping) state(t *testing.T, text string) {
	require.NoError(t, os.WriteFile(filepath.Join(s.root, "state"), []byte(text+"\n"), 0o644))
}

const simple = "\t@touch ../ran; grep -q good state && echo '1 passed hidden' || { echo '1 failed'; exit 1; }\n"

// JD-21: nothing runs that a person did not let run in that folder; what is missing is said once.
func TestNothingRunsWithoutConsent(t *testing.T) {
	s := stopped(t, simple)
	s.says("All tests pass.", 3)
	s.logs(t, "scaffoldwatch done s1 --run")
	s.allow(t)
	s.says("All tests pass now.", 4)
	require.Equal(t, 4, (<-s.receipts).Turn)
	require.Equal(t, 1, strings.Count(s.log.String(), "may not run yet"))
	require.FileExists(t, filepath.Join(s.root, "../ran"))
}

// A response that claims nothing that a check shows runs nothing, and nothing runs again on the same tree.
func TestWhatIsRunAfterAResponse(t *testing.T) {
	s := stopped(t, "\t@echo x >> $(CURDIR)/../runs\n"+simple)
	s.allow(t)
	s.says("I renamed the function.", 1)
	s.says("All tests pass.", 2)
	first := <-s.receipts
	require.Equal(t, sessionevents.CheckPassed, first.Check.Result)
	require.Equal(t, sessionevents.ByConfiguration, first.By)
	require.Equal(t, "1 passed ‹secret›", first.Summary, "redacted")
	require.NoError(t, eventIsValid(first))
	s.says("Yes, all tests pass.", 3) // the same tree
	s.logs(t, "is not run again")
	s.state(t, "bad")
	s.says("Changed it; the tests pass.", 4)
	second := <-s.receipts
	require.Equal(t, sessionevents.CheckFailed, second.Check.Result)
	require.Equal(t, 4, second.Turn)
	runs, err := os.ReadFile(filepath.Join(filepath.Dir(s.root), "runs"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(runs), "x"))
}

// What ran while the workspace was worked in and changed is of neither state, and is not recorded.
func TestAWorkspaceThatChangesMeanwhile(t *testing.T) {
	s := stopped(t, "\t@touch ../began; while [ ! -e ../go ]; do sleep 0.02; done; echo '1 passed'\n")
	s.allow(t)
	s.says("All tests pass.", 2)
	above := filepath.Dir(s.root)
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(above, "began"))
		return err == nil
	}, time.Minute, time.Millisecond)
	s.Seen(s.root, time.Now())
	s.state(t, "better")
	require.NoError(t, os.WriteFile(filepath.Join(above, "go"), nil, 0o644))
	s.logs(t, "applies to neither state")
	require.Empty(t, s.receipts)
	s.says("All tests pass.", 3)
	require.Equal(t, 3, (<-s.receipts).Turn, "the next response is checked")
}

// A check that takes too long is ended and says nothing; the service that ends takes it along.
func TestABoundedCheck(t *testing.T) {
	s := stopped(t, "\t@sleep 60\n")
	s.Limit = 300 * time.Millisecond
	s.allow(t)
	s.says("All tests pass.", 2)
	r := <-s.receipts
	require.True(t, r.Expired)
	require.Equal(t, sessionevents.CheckUnknown, r.Check.Result)
}

func eventIsValid(r *sessionevents.CheckObserved) error {
	return events.Validate(Event("scaffoldwatch://hooks", r, time.Now()), events.Limits{})
}

// The claims that a check of a project shows, and those that none does.
func TestWhatAResponseClaims(t *testing.T) {
	claims, err := ledger.Load(rules.Default())
	require.NoError(t, err)
	for text, want := range map[string][]sessionevents.CheckKind{
		"The build succeeds and all 12 tests pass.":            {sessionevents.CheckBuild, sessionevents.CheckTest},
		"I could not run the tests here.":                      nil,
		"Committed and pushed.":                                nil,
		"The linter is clean.":                                 {sessionevents.CheckLint},
		"Next I will make sure that the tests pass.":           nil,
		"Alle Tests laufen durch.":                             {sessionevents.CheckTest},
		"```\nall tests pass\n```\nThis is what CI would say.": nil,
	} {
		require.ElementsMatch(t, want, Claimed(claims, text), text)
	}
}
