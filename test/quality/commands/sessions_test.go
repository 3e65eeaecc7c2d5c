package commands

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// What a session did before decides what it may do (GD-5 to GD-8, JD-30): through the real endpoint.
func TestSessions(t *testing.T) {
	p := place(t, Full)
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	sessions, err := Sessions(p)
	require.NoError(t, err)
	calls, right := 0, 0
	for at := range sessions {
		t.Run(sessions[at].Title, func(t *testing.T) {
			q, s := p, &sessions[at]
			if s.changes() { // what really happens, happens in a repository of its own
				q = place(t, Full)
				again, err := Sessions(q)
				require.NoError(t, err)
				s = &again[at]
			}
			e := NewEndpoint(core.Preflight)
			e.desk.Patience, e.guard.Patience, e.guard.Rescue = 10*time.Minute, 10*time.Minute, true
			playing, err := e.Begin(q, s)
			require.NoError(t, err)
			for n := range s.Calls {
				if n > 0 && !s.changes() {
					playing, err = e.Begin(q, s)
					require.NoError(t, err)
				}
				got, err := playing.Ask(&s.Calls[n])
				require.NoError(t, err)
				calls++
				if assert.Equal(t, s.Calls[n].Want, got.Decision, "%s %s: %s", s.Calls[n].Tool, s.Calls[n].Text, got.Text) {
					right++
				}
			}
		})
	}
	t.Logf("%d of %d", right, calls)
	require.GreaterOrEqual(t, calls, 80)
}
