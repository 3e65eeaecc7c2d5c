package segment

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func marker(rule, fingerprint string) string { return "‹secret:" + rule + ":" + fingerprint + "›" }

// SW-7: each finding gets the segment and offset of its mark.
func TestSecretsAreLocated(t *testing.T) {
	key := marker("aws", "0123456789ab")
	other := marker("pw", "ba9876543210")
	read := result("a", "KEY="+key)
	turn := &sessionevents.Turn{Blocks: []sessionevents.Block{
		textBlock("I use " + key + " now."),
		toolCall("a", "Read", args{"file_path": "x.env"}),
		toolCall("b", "Bash", args{"command": "cat > a.py <<'EOF'\nimport os\nk = '" + key + "'\nj = '" + key + "'\nEOF"}),
		toolCall("c", "Bash", args{"command": "login " + other}),
		read,
	}}
	finding := func(rule, fingerprint string, block int) sessionevents.SecretFinding {
		return sessionevents.SecretFinding{Rule: rule, Fingerprint: fingerprint, Block: block}
	}
	findings := []sessionevents.SecretFinding{
		finding("aws", "0123456789ab", 0), finding("aws", "0123456789ab", 2), finding("aws", "0123456789ab", 2),
		finding("pw", "ba9876543210", 3), finding("aws", "0123456789ab", 4), finding("gone", "000000000000", -1),
	}
	cut := segmenter(t).Cut(turn, 1, Options{Secrets: findings})
	places := [][2]int{}
	for _, f := range cut.Secrets {
		places = append(places, [2]int{f.Segment, f.Offset})
		if f.Segment >= 0 {
			text := Text(&cut.Segments[f.Segment])
			require.Equal(t, marker(f.Rule, f.Fingerprint), text[f.Offset:f.Offset+len(marker(f.Rule, f.Fingerprint))])
		}
	}
	require.Equal(t, sessionevents.SegmentDiff, cut.Segments[3].Kind)
	require.Equal(t, [][2]int{{0, 6}, {3, 15}, {3, 15 + len(key) + 7}, {4, 6}, {-1, -1}, {-1, -1}}, places)
	require.Equal(t, 0, findings[1].Segment, "the caller's findings are not changed")
}

func TestLocateWithoutBlocks(t *testing.T) {
	key := marker("aws", "0123456789ab")
	seg := &sessionevents.TurnSegmented{Segments: []sessionevents.Segment{
		{Kind: sessionevents.SegmentPlan, Text: "a " + key},
		{Kind: sessionevents.SegmentDiff, Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{{Lines: []string{" x", "+y" + key}}}}},
	}}
	f := sessionevents.SecretFinding{Rule: "aws", Fingerprint: "0123456789ab", Block: -1}
	got := locate(seg.Segments, nil, []sessionevents.SecretFinding{f, f, f})
	require.Equal(t, [][2]int{{1, 1}, {0, 2}, {-1, -1}}, [][2]int{{got[0].Segment, got[0].Offset}, {got[1].Segment, got[1].Offset}, {got[2].Segment, got[2].Offset}})
	require.Nil(t, locate(seg.Segments, nil, nil))
}
