package backtestreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func example() Model {
	m := Model{
		SchemaVersion: SchemaVersion, Source: "fixtures", Sessions: 214, Turns: 9000, Changed: 3, Heard: 9,
		Interrupts: Pair{Present: 9, Given: 12}, Settings: []rules.Difference{{Path: "dispatch.thresholds.fire", Was: "4.0", Is: "3.6"}},
		Effects: []Effect{{"queued", Pair{4, 2}}, {"breaks", Pair{}}},
		Detectors: []Detector{{
			ID: "A1", Interrupts: Pair{Present: 9, Given: 12}, Gained: 3, Signals: Pair{20, 20},
			Present: Tally{Heeded: 2, Ignored: 6, Dismissed: 1, Heard: 9}, GainedThen: Tally{Heeded: 1, Open: 2},
		}},
		Changes: []Change{
			{Way: Gained, Kind: KindFire, Group: "s1", Turn: 4, Detector: "A1", About: "<b>f</b>", Is: "turn 4: at once, 3.6", Message: "\x1b[2JLook | at\u202e it.", Evidence: "a.go:3: <script>alert(1)</script>", Depends: true},
			{Way: Lost, Kind: KindFire, Group: "s2", Detector: "A1", Was: "turn 5: at once, 4.0", Outcome: Ignored, Heard: true},
		},
		Notes: []string{"A note."},
	}
	for i := range 1000 {
		m.Series = append(m.Series, Point{Session: fmt.Sprintf("s%d", i), Pair: Pair{Present: i % 3, Given: i % 4}})
	}
	Finish(&m)
	return m
}

func TestVerdictSaysWhatChangesAndWhatThePresentOnesLedTo(t *testing.T) {
	require.Equal(t, "A1 fire 4.0→3.6: +3 interrupts in 214 sessions; 1 of the gained the agent put right unprompted; "+
		"of 9 present ones 2 heeded, 6 ignored, 1 dismissed", example().Detectors[0].Verdict)
}

// Every form shows the same, and nothing in a transcript steers what is shown.
func TestFormsShowTheSameAndEscape(t *testing.T) {
	m := example()
	var text, markdown, html, data bytes.Buffer
	require.NoError(t, RenderText(&text, m, 80, nil))
	require.NoError(t, RenderMarkdown(&markdown, m))
	require.NoError(t, RenderHTML(&html, m))
	require.NoError(t, RenderJSON(&data, m))
	for name, out := range map[string]string{"text": text.String(), "md": markdown.String(), "html": html.String()} {
		for _, want := range []string{"214 sessions", "s2", "†", "ignored", "A note."} {
			require.Contains(t, out, want, name)
		}
		require.NotContains(t, out, "\x1b", name)
		require.NotContains(t, out, "\u202e", name)
	}
	require.NotContains(t, html.String(), "<script>")
	require.NotContains(t, markdown.String(), "<script>")
	require.LessOrEqual(t, strings.Count(html.String(), "<g><title>"), mostBars)
	for _, line := range strings.Split(text.String(), "\n") {
		require.LessOrEqual(t, len([]rune(line)), 84, line)
	}
	var read Model
	require.NoError(t, json.Unmarshal(data.Bytes(), &read))
	require.Equal(t, m, read)
}

func TestASweepIsATableAndAPlot(t *testing.T) {
	m := Model{Sessions: 10, Heard: 5, Interrupts: Pair{Present: 5}, Sweep: &Sweep{Settings: []string{"dispatch.thresholds.fire"}, Rows: []Row{
		{Values: []float64{3}, Interrupts: 9, PerSession: 0.9, Gained: 4, Kept: Tally{Heeded: 2, Ignored: 2, Dismissed: 1}, New: Tally{Ignored: 4}},
		{Values: []float64{4}, Present: true, Interrupts: 5, PerSession: 0.5, Kept: Tally{Heeded: 2, Ignored: 2, Dismissed: 1}},
		{Values: []float64{5}},
	}}}
	var text, html bytes.Buffer
	require.NoError(t, RenderText(&text, m, 0, nil))
	require.NoError(t, RenderHTML(&html, m))
	require.Regexp(t, `(?m)^  3 .* 9 +0\.90 +\+4 .* 22% +11% +9$`, text.String())
	require.Regexp(t, `(?m)^  4 \(present\) +5 +0\.50 .* 40% +20% +5$`, text.String())
	require.Contains(t, html.String(), "3: 0.90 interrupts a session, 22% heeded")
	require.Contains(t, html.String(), "No interrupt was judged at 5: not in the plot.")
	require.Equal(t, 4, strings.Count(html.String(), "<circle"))
}

// Where a setting changes nothing its lines are one, with the present rules to be seen,
// and no label is written over the axis' title.
func TestAPlotOfASettingWithoutEffectIsOneLine(t *testing.T) {
	m := Sweep{Settings: []string{"dispatch.thresholds.fire", "dispatch.thresholds.queue"}}
	for _, fire := range []float64{3, 4} {
		for _, queue := range []float64{1, 2} {
			m.Rows = append(m.Rows, Row{
				Values: []float64{fire, queue}, Present: fire == 4 && queue == 1, PerSession: 3 - queue,
				Kept: Tally{Heeded: 1, Ignored: 3},
			})
		}
	}
	p := newPlot(m, false)
	require.Len(t, p.Lines, 1)
	line := p.Lines[0]
	require.Equal(t, "put right unprompted, fire 3, 4", line.Name)
	require.Len(t, line.Points, 2)
	require.True(t, line.Points[1].Present, "drawn last")
	require.Equal(t, "1", line.Points[1].Label)
	for _, point := range line.Points {
		require.Greater(t, point.TextY-14, 14.0, "a label of 14 pixels is below the title's line")
	}
	m.Rows[3].PerSession = 5
	require.Len(t, newPlot(m, false).Lines, 2)
}
