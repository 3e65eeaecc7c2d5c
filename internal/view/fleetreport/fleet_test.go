package fleetreport

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func sample() Model {
	counts := Counts{}
	add := func(day, kind, name string, list map[string]int64) {
		for what, n := range list {
			counts[Count{day, kind, name, what}] = n
		}
	}
	add("2026-01-05", "detector", "B1", map[string]int64{"signals": 4, "fired": 3, "suppressed": 1, "interrupts": 3, "emitted": 2, "delivered": 2, "heeded": 1, "ignored": 1, "dismissed": 1})
	add("2026-01-06", "detector", "C1", map[string]int64{"signals": 5, "logged": 3, "self_corrected": 1, "interrupts": 0})
	add("2026-01-06", "detector", "B1", map[string]int64{"signals": 1, "fired": 1, "interrupts": 1, "unsupported": 1, "judged_untold": 1, "heeded": 1})
	add("2026-01-05", "agent", "claude-code", map[string]int64{
		"sessions": 2, "turns": 20, "failed": 1, "skipped": 2, "interrupts": 3, "usage_turns": 10, "cost_turns": 5, "input_tokens": 9000, "output_tokens": 800, "cost_micros": 1_230_000,
	})
	add("2026-01-06", "agent", "", map[string]int64{"sessions": 1, "turns": 4, "no_baseline": 2, "out_of_order": 1, "interrupts": 1})
	add("2026-01-06", "unsupported", "cobol", map[string]int64{"turns": 3})
	add("2026-01-06", "unsupported", "fortran", map[string]int64{"turns": 7})
	add("2026-01-06", "prevented", "discard", map[string]int64{"denied": 2, "kept": 1})
	add("2026-01-05", "prevented", "delete", map[string]int64{"denied": 1, "warned": 1, "allowed": 1, "invented": 4})
	m := Build(counts, map[string]string{"B1": "credential in code"})
	m.From, m.Last = "2026-01-05", time.Date(2026, 1, 6, 12, 0, 0, 0, time.UTC)
	m.Coverage.Gaps = []Gap{{Session: "s-1", NotWatched: 3, Turns: 9}}
	return m
}

var forms = map[string]func(io.Writer, Model) error{
	"md": RenderMarkdown, "json": RenderJSON, "html": RenderHTML,
	"txt":     func(w io.Writer, m Model) error { return RenderText(w, m, 0, nil) },
	"columns": func(w io.Writer, m Model) error { return RenderText(w, m, 60, nil) },
}

func TestGolden(t *testing.T) {
	for name, m := range map[string]Model{"two_days": sample(), "empty": Build(nil, nil), "runs": withRuns()} {
		for form, render := range forms {
			var got bytes.Buffer
			require.NoError(t, render(&got, m))
			path := filepath.Join("testdata", name+"."+form)
			if *update {
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got.String(), path)
		}
	}
}

// Rates are of those judged; a dismissed interrupt counts in the dismiss rate
// alone, and every signal has one end (DP-18, DP-21).
func TestOpinionsAreSummedByModel(t *testing.T) {
	counts := Counts{}
	for _, day := range []string{"2026-03-02", "2026-03-03"} {
		figures := map[string]int64{"questions": 3, "refuted": 2, "void": 1, "cost_micros": 12_000, "new": 1}
		for what, n := range figures {
			counts[Count{Day: day, Kind: "opinion", Name: "claude-x", What: what}] = n
		}
	}
	m := Build(counts, nil)
	require.Equal(t, []Opinions{{Model: "claude-x", Questions: 6, Refuted: 4, Void: 2, CostUSD: 0.024}}, m.Opinions)
	var text bytes.Buffer
	require.NoError(t, RenderText(&text, m, 0, nil))
	require.Contains(t, text.String(), "Second opinions by claude-x: 6 questions, 4 refuted, 2 void, $0.02.")
}

func TestRates(t *testing.T) {
	m := sample()
	require.Len(t, m.Detectors, 2)
	b1, c1 := m.Detectors[0], m.Detectors[1]
	require.InDelta(t, 2.0/3, *b1.HeedRate, 1e-9)
	require.InDelta(t, 1.0/4, *b1.DismissRate, 1e-9)
	require.Nil(t, c1.HeedRate)
	require.Nil(t, c1.DismissRate)
	require.Equal(t, 1, c1.Open)
	require.Equal(t, Figures{Sessions: 3, Turns: 24, NotWatched: 3, Signals: 10, Interrupts: 4, Heeded: 2, Ignored: 1, Dismissed: 1, Prevented: 6}, m.Figures)
	require.Equal(t, 23, m.Coverage.Evaluated)
	require.Equal(t, "fortran", m.Coverage.Unsupported[0].What)
}

// What publishers name themselves stays text in every form.
func TestHostileNames(t *testing.T) {
	hostile := "<script>alert(1)</script> | **x** \x1b[31m\u202e `y`"
	m := Build(Counts{
		{Day: "2026-01-05", Kind: "agent", Name: hostile, What: "sessions"}:        1,
		{Day: "2026-01-05", Kind: "agent", Name: hostile, What: "turns"}:           1,
		{Day: "2026-01-05", Kind: "unsupported", Name: hostile, What: "turns"}:     1,
		{Day: "2026-01-05", Kind: "detector", Name: hostile, What: "interrupts"}:   1,
		{Day: "2026-01-05", Kind: "nothing we know", Name: hostile, What: "turns"}: 1,
	}, nil)
	var shown, markdown, text bytes.Buffer
	require.NoError(t, RenderHTML(&shown, m))
	document, err := html.Parse(&shown)
	require.NoError(t, err)
	for node := range document.Descendants() {
		require.NotEqual(t, "script", node.Data)
	}
	require.NoError(t, RenderMarkdown(&markdown, m))
	require.NotContains(t, markdown.String(), "<script>")
	require.NotContains(t, markdown.String(), "**x**")
	for _, line := range strings.Split(markdown.String(), "\n") {
		if strings.HasPrefix(line, "|") {
			require.NotContains(t, strings.ReplaceAll(line, `\|`, ""), "alert(1)</script> |")
		}
	}
	require.NoError(t, RenderText(&text, m, 80, page.PlainStyle{}))
	require.NotContains(t, text.String(), "\x1b")
	require.NotContains(t, text.String(), "\u202e")
}

func TestParsePeriod(t *testing.T) {
	now := time.Date(2026, 3, 1, 23, 30, 0, 0, time.FixedZone("west", -2*3600)) // the 2nd in UTC
	for _, c := range []struct{ since, until, from, to, wrong string }{
		{},
		{since: "7d", from: "2026-02-24"},
		{since: "1d", from: "2026-03-02"},
		{since: "2w", from: "2026-02-17"},
		{since: "2026-01-05", until: "2026-01-05", from: "2026-01-05", to: "2026-01-05"},
		{until: "2026-01-05", to: "2026-01-05"},
		{since: "2026-01-06", until: "2026-01-05", wrong: "ends before it begins"},
		{since: "all"},
		{since: "all", until: "yesterday", to: "2026-03-01"},
		{since: "today", from: "2026-03-02"},
		{since: "yesterday", until: "today", from: "2026-03-01", to: "2026-03-02"},
		{until: "all", wrong: "a day such as"},
		{since: "tomorrow", wrong: "today, yesterday or all"},
		{since: "7", wrong: "such as 7d"},
		{since: "d", wrong: "such as 7d"},
		{since: "7dd", wrong: "such as 7d"},
		{since: "-3d", wrong: "such as 7d"},
		{since: "0d", wrong: "such as 7d"},
		{since: "999999999d", wrong: "such as 7d"},
		{since: "2026-13-01", wrong: "such as 7d"},
		{until: "7d", wrong: "a day such as"},
	} {
		p, err := ParsePeriod(c.since, c.until, now)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong, "%+v", c)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, Period{c.from, c.to}, p)
	}
}

func FuzzParsePeriod(f *testing.F) {
	f.Add("7d", "2026-01-31")
	f.Add("2w", "")
	f.Fuzz(func(t *testing.T, since, until string) {
		p, err := ParsePeriod(since, until, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		if err == nil && p.From != "" && p.To != "" {
			require.LessOrEqual(t, p.From, p.To)
		}
	})
}
