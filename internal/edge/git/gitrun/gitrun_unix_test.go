//go:build unix

package gitrun_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// Output that is complete only after Git ended counts where there is time: on a busy machine it is read late.
func TestOutputThatComesLateIsRead(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n(sleep 0.1; echo late) &\necho early\n"), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	git, _, err := gitrun.Looking(ctx, bin)
	require.NoError(t, err)
	out, err := git.Run(ctx, "status")
	require.NoError(t, err)
	require.Equal(t, "early\nlate\n", out)
}
