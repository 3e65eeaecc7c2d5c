package sessionid

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

func TestValid(t *testing.T) {
	require.Equal(t, "0f-A_9", Valid("0f-A_9"))
	require.Empty(t, Valid(""))
	seen := map[string]bool{}
	for _, native := range []string{"a/b", "a b", "a:b", "日本", "🙂", strings.Repeat("x", 129), strings.Repeat("x", 130), "-/", "a\x00"} {
		id := Valid(native)
		require.True(t, events.ValidID(id), "%q gives %q", native, id)
		require.Equal(t, id, Valid(native))
		require.False(t, seen[id], "%q collides", native)
		seen[id] = true
	}
}
