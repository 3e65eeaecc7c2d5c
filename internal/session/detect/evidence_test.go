package detect_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestEvidenceOfADiffCountsInAddedLines(t *testing.T) {
	s := sessionevents.Segment{Index: 3, Kind: sessionevents.SegmentDiff, Path: "a.py", Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{
		{NewStart: 10, Lines: []string{" x", "-old", "+one", "+two"}},
	}}}
	require.Equal(t, "one\ntwo", detect.Text(&s))
	e := detect.At(&s, 4, 3)
	require.Equal(t, sessionevents.Evidence{Segment: 3, Kind: sessionevents.SegmentDiff, Path: "a.py", Line: 12, Offset: 4, Length: 3, Quote: "two"}, e)
}

func TestTextOfACall(t *testing.T) {
	shell := sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Command: "ls", Input: []byte(`{"command":"ls"}`)}}
	read := sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Input: []byte(`{"p":1}`)}}
	require.Equal(t, "ls", detect.Text(&shell))
	require.Equal(t, `{"p":1}`, detect.Text(&read))
}

func TestEvidenceStaysInBounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Just(strings.Repeat("é", 300))).Draw(r, "text")
		s := sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: text}
		e := detect.At(&s, rapid.IntRange(-5, 700).Draw(r, "offset"), rapid.IntRange(-5, 700).Draw(r, "length"))
		require.True(r, e.Offset >= 0 && e.Length >= 0 && e.Offset+e.Length <= len(text))
		require.True(r, utf8.ValidString(e.Quote) && len(e.Quote) <= 203)
	})
}
