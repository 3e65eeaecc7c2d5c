package secured

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/once"
)

var (
	start  = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	person = AtThePrompt
)

func TestDesk(t *testing.T) {
	var d Desk
	word := ""
	d.With("a", start, func(p *once.Pending) { word = p.Denied("a", "c", start) })
	require.False(t, d.Allow("b", word, person, start), "of another session")
	require.True(t, d.Allow("a", word, person, start))
	for i := range 3 * maxSessions {
		d.With(string(rune(i)), start, func(p *once.Pending) { p.Denied("x", "c", start) })
	}
	require.LessOrEqual(t, len(d.sessions), maxSessions)
}
