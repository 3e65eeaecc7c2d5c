package overview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/overview"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

// colourless writes without colours.
type colourless struct{}

func (colourless) Heading(text string) string { return text }
func (colourless) Urgent(text string) string  { return text }
func (colourless) Muted(text string) string   { return text }

// session returns one to whose agent the detectors spoke, each in a turn of its own.
func session(number int, detectors ...string) sessionreport.Model {
	m := sessionreport.Model{
		Session: sessionreport.Session{
			ID: fmt.Sprint("session-", number), Workspace: "/home/me/shop", Task: fmt.Sprint("task ", number),
		},
		Turns: len(detectors),
	}
	for turn, d := range detectors {
		m.Interrupts = append(m.Interrupts, sessionreport.Fired{
			ID: fmt.Sprint(number, d), Turn: turn + 1, Detector: d, Label: "3.0", Urgency: 30,
			Message: "what " + d + " says",
		})
	}
	return m
}

// CO-9b: what is not listed of a session is named by its detectors, and one more is listed instead of
// being counted.
func TestWhatIsNotListedIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		detectors   []string
		want, never string
	}{
		"one more":  {[]string{"B1", "C4"}, "what C4 says", "more ("},
		"two more":  {[]string{"B1", "C4", "E1"}, "and 2 more (C4, E1)", "what E1 says"},
		"of a kind": {[]string{"B1", "C4", "C4", "E1"}, "and 3 more (C4, E1)", "what E1 says"},
	} {
		t.Run(name, func(t *testing.T) {
			models := []sessionreport.Model{session(1, c.detectors...), session(2, "D2"), session(3, "D2")}
			var out strings.Builder
			options := overview.Options{Width: 80, Style: colourless{}, Zone: time.UTC}
			require.NoError(t, overview.Render(&out, models, options))
			require.Contains(t, out.String(), c.want)
			require.NotContains(t, out.String(), c.never)
		})
	}
}
