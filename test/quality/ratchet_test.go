package main

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/stepshield"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

var recording = flag.Bool("record", false, "record the measured figures in "+ratchetPath)

// Recall and precision on the moments never fall below the recorded figures
// (-record after a change for the better).
func TestRatchet(t *testing.T) {
	data := shareddata.Require(t)
	marked, err := moments.Load(data)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no moments in " + data)
	}
	require.NoError(t, err)
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	played, err := playTranscripts(core, data)
	require.NoError(t, err)
	judged, err := moments.Judged()
	require.NoError(t, err)
	before, err := recorded()
	require.NoError(t, err)
	for _, h := range halves(marked, played.recorder) {
		for _, g := range groups {
			verdict := h.marked.Judge(h.recorder, g.admits)
			now := measured(verdict, judged)
			t.Logf("classes %s%s: strong %d of %d, all %d of %d, right %d of %d fired, known wrong %d",
				g.Classes, h.suffix, now.StrongSay.Count, now.StrongSay.Of, now.All.Count, now.All.Of, now.Right.Count, now.Right.Of, now.KnownWrong)
			if *recording {
				before.Moments[g.Name+h.suffix] = now
				continue
			}
			for _, f := range before.Moments[g.Name+h.suffix].falls(now) {
				t.Errorf("classes %s%s: %s; read what changed (make quality), then -record if it is right", g.Classes, h.suffix, f)
			}
		}
	}
	list, err := stepshield.Load(data)
	if !stepshield.Missing(err) {
		require.NoError(t, err)
		result, err := stepshield.Measure(core, list)
		require.NoError(t, err)
		now := steps(result)
		t.Logf("labelled steps: %d of %d rogue ones, %d of %d clean runs without an alarm", now.Rogue.Count, now.Rogue.Of, now.Quiet.Count, now.Quiet.Of)
		if !*recording {
			require.Empty(t, before.Steps.falls(now), "read what changed (go run ./test/quality -steps FILE), then -record if it is right")
		}
		before.Steps = now
	}
	if *recording {
		out, err := yaml.Marshal(before)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(ratchetPath, append([]byte("# Written by go test ./test/quality -run Ratchet -record; figures may only get better.\n"), out...), 0o644))
	}
}

// A figure that gets worse is named, one that gets better is not.
func TestRatchetNamesWhatFell(t *testing.T) {
	before := figures{StrongSay: moments.Share{Count: 6, Of: 10}, All: moments.Share{Count: 5, Of: 10}, Right: moments.Share{Count: 9, Of: 10}, KnownWrong: 1}
	require.Empty(t, before.falls(before))
	worse := figures{StrongSay: moments.Share{Count: 5, Of: 10}, All: moments.Share{Count: 6, Of: 10}, Right: moments.Share{Count: 8, Of: 10}, KnownWrong: 2}
	require.Len(t, before.falls(worse), 3)
	steps := stepFigures{Rogue: moments.Share{Count: 6, Of: 10}, Quiet: moments.Share{Count: 9, Of: 10}}
	require.Empty(t, steps.falls(steps))
	require.Len(t, steps.falls(stepFigures{Rogue: moments.Share{Count: 7, Of: 10}, Quiet: moments.Share{Count: 8, Of: 10}}), 1)
}
