package segment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestMarkdownBehindAUserBlock(t *testing.T) { // SW-1, SW-4
	s, err := segment.New(rules.Default(), grammars.Linked{})
	require.NoError(t, err)
	out := s.Cut(&sessionevents.Turn{
		Session: "s", TurnID: "t", Format: "markdown", Text: "I will look at it.\n",
		Blocks: []sessionevents.Block{{Type: sessionevents.BlockUser, Text: "Fix it."}},
	}, 1, segment.Options{})
	require.Len(t, out.Segments, 2)
	require.Equal(t, sessionevents.SegmentUser, out.Segments[0].Kind)
	require.Equal(t, sessionevents.SegmentPlan, out.Segments[1].Kind)
	require.Equal(t, len("Fix it.")+1, out.Segments[1].Offset)
	require.Equal(t, len("Fix it.")+1+len("I will look at it.\n"), out.Bytes)
}
