package reporter

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// testWorkspace returns a repository with one commit, in which no identity is configured.
func testWorkspace(t *testing.T) (dir string, git func(args ...string) string) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir = t.TempDir()
	git = func(args ...string) string {
		out, err := gitrun.Command{Dir: dir}.Run(t.Context(), args...)
		require.NoError(t, err)
		return out
	}
	git("init", "-q")
	git("-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "-q", "--allow-empty", "-m", "first")
	return dir, git
}

func testAnchor(sequence uint64) chain.Anchor {
	return chain.Anchor{
		Time: time.Unix(1_700_000_000, 0).UTC(), Streams: []chain.AnchoredStream{{Name: events.StreamDecisions, Last: sequence}},
		Heads: []chain.Head{{Stream: events.StreamDecisions, Partition: 1, Sequence: sequence, Digest: strings.Repeat("0f", 32)}},
	}
}

// AU-2: anchors are appended to one note, from which each can be read again. A hook's
// variables do not lead elsewhere, and hooks of the workspace do not run.
func TestAnchorsAreAppendedToTheNote(t *testing.T) {
	dir, git := testWorkspace(t)
	ran := filepath.Join(t.TempDir(), "ran")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "hooks", "reference-transaction"), []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755)) //nolint:gosec // a hook is executable
	t.Setenv("GIT_DIR", t.TempDir())
	a, known := testAnchors(t, config.Audit{AnchorGit: dir})
	for sequence := uint64(8); sequence <= 9; sequence++ {
		signed, err := testAnchor(sequence).Sign(a.signer)
		require.NoError(t, err)
		require.NoError(t, a.annotate(t.Context(), signed))
	}
	all, err := chain.OpenAnchors([]byte(git("notes", "--ref=scaffoldwatch-anchors", "show", "HEAD")), known, chain.Keys{})
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, testAnchor(8).Heads, all[0].Heads)
	require.Equal(t, testAnchor(9).Heads, all[1].Heads)
	require.NoFileExists(t, ran)
}

// AU-2: what is in the way is named.
func TestAnchorThatCannotBeNoted(t *testing.T) {
	dir, _ := testWorkspace(t)
	a, _ := testAnchors(t, config.Audit{AnchorGit: t.TempDir()})
	require.ErrorContains(t, a.annotate(t.Context(), []byte("x\n")), "not a git repository")
	a.settings.AnchorGit = dir
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, a.annotate(ended, []byte("x\n")), context.Canceled)
	lock := filepath.Join(dir, ".git", "refs", "notes", "scaffoldwatch-anchors.lock")
	require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o750))
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	require.ErrorContains(t, a.annotate(t.Context(), []byte("x\n")), "lock")
	require.NoError(t, os.Remove(lock))
	require.NoError(t, a.annotate(t.Context(), []byte("x\n")))
	t.Setenv("PATH", t.TempDir())
	require.ErrorContains(t, a.annotate(t.Context(), []byte("x\n")), "git is not installed")
}
