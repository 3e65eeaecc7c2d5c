package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

func live(turns int, moments ...string) reported {
	m := sessionreport.Model{Session: sessionreport.Session{ID: "s"}, Turns: turns, Coverage: sessionreport.Coverage{Received: turns, Evaluated: turns}}
	for i, what := range moments {
		m.Timeline = append(m.Timeline, sessionreport.Moment{Turn: i + 1, What: what})
	}
	return sessionReport{m, false}
}

// Not on a terminal: each thing is told once, the whole report in the end.
func TestLinesAreAppended(t *testing.T) {
	var out bytes.Buffer
	f := &lineFollower{command: &Report{Output: "md"}, run: &cli.Call{Stdout: &out, Theme: terminal.New(&out, func(string) string { return "" })}}
	require.NoError(t, f.end())
	require.Empty(t, out.String(), "nothing was seen")
	for _, m := range []reported{live(0), live(1, "queued"), live(2, "queued"), live(3, "queued", "interrupt")} {
		require.NoError(t, f.changed(m))
	}
	require.Equal(t, "s: 1 turn, nothing to say\n[Turn 1] queued\n[Turn 2] interrupt\n", out.String())
	out.Reset()
	require.NoError(t, f.end())
	require.Contains(t, out.String(), "**Session turns observed:** 3")
}

func TestJSONIsOneReportALine(t *testing.T) {
	var out bytes.Buffer
	f := &jsonFollower{out: &out}
	require.NoError(t, f.changed(live(1)))
	require.NoError(t, f.changed(live(2)))
	require.NoError(t, f.end())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	var m sessionreport.Model
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &m))
	require.Equal(t, 2, m.Turns)
}

// A terminal is drawn anew, given back, and keeps the whole report.
func TestScreenIsDrawnAnew(t *testing.T) {
	var out bytes.Buffer
	f := &screenFollower{
		command: &Report{}, run: &cli.Call{Stdout: &out, Theme: terminal.New(&out, func(string) string { return "" })}, screen: terminal.NewScreen(&out),
	}
	require.NoError(t, f.changed(live(1, "queued")))
	require.NoError(t, f.changed(live(2, "queued", "interrupt")))
	require.Equal(t, 1, strings.Count(out.String(), "\x1b[?1049h"))
	require.Contains(t, out.String(), "Latest\x1b[K\r\n  [Turn 1] queued\x1b[K\r\n  [Turn 2] interrupt")
	require.NoError(t, f.end())
	_, kept, ok := strings.Cut(out.String(), "\x1b[?1049l")
	require.True(t, ok)
	require.True(t, strings.HasPrefix(kept, "SCAFFOLD-WATCH SESSION REPORT\n"))
}

func TestFitted(t *testing.T) {
	text, latest := []string{"1", "2", "3", "4", "5"}, []string{"", "Latest", "  x"}
	require.Equal(t, append(append([]string{}, text...), latest...), fitted(text, latest, 8))
	require.Equal(t, []string{"1", "2", "… 3 lines more; all of it when this ends", "", "Latest", "  x"}, fitted(text, latest, 6))
	for rows := range 12 {
		require.LessOrEqual(t, len(fitted(text, latest, rows)), max(rows, 1), "never more than the screen holds")
	}
}
