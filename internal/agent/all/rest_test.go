package all_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// growing is a transcript that rests between its parts.
type growing struct {
	parts  []string
	rested func()
}

func (g *growing) Read(p []byte) (int, error) {
	for {
		if len(g.parts) == 0 {
			return 0, io.EOF
		}
		if g.parts[0] != "" {
			n := copy(p, g.parts[0])
			g.parts[0] = g.parts[0][n:]
			return n, nil
		}
		if g.rested(); len(g.parts) > 0 {
			g.parts = g.parts[1:]
		}
	}
}

// IN-2: while a transcript rests, a response that ended is a turn; one that may go on is not: a call waits
// for its result, however long, and without a stop reason a model may still be writing its first call.
func TestATranscriptThatRests(t *testing.T) {
	line := func(kind, message, content, stop string) string {
		return fmt.Sprintf(`{"cwd":"/srv/shop","sessionId":"rest-1","type":%q,"message":{"model":"m","id":%q,"role":%[1]q,"content":[%[3]s],"stop_reason":%[4]s},`+
			`"uuid":"%[1]s-%[2]s-%[5]d","timestamp":"2026-03-01T10:00:02.000Z"}`+"\n", kind, message, content, stop, len(content))
	}
	said := func(message, content, stop string) string { return line("assistant", message, content, stop) }
	const (
		prose = `{"type":"text","text":"All tests pass."}`
		call  = `{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"make test"}}`
	)
	asks := line("user", "", `{"type":"text","text":"Add a retry"}`, "null")
	answers := line("user", "", `{"tool_use_id":"c1","type":"tool_result","content":"ok"}`, "null")
	for name, c := range map[string]struct {
		begun, rest string
		long        bool
		resting     string // turns when it rests, with their blocks
		end         string // turns at the end
	}{
		"it ended":                     {said("m1", prose, `"end_turn"`), asks + said("m2", prose, `"end_turn"`), false, "m1:2", "m1:2 m2:2"},
		"it ended after a call":        {said("m1", call+","+prose, `"end_turn"`) + answers, "", false, "m1:4", "m1:4"},
		"a call without its result":    {said("m1", call, `"tool_use"`), answers + said("m2", prose, `"end_turn"`), true, "", "m1:3 m2:1"},
		"a result, and nothing yet":    {said("m1", call, `"tool_use"`) + answers, said("m2", prose, `"end_turn"`), true, "", "m1:3 m2:1"},
		"prose before a call":          {said("m1", prose, "null"), said("m1", call, `"tool_use"`) + answers, false, "", "m1:4"},
		"prose and nothing for long":   {said("m1", prose, "null"), "", true, "m1:2", "m1:2"},
		"a call announced by a reason": {said("m1", prose, `"tool_use"`), said("m1", call, `"tool_use"`) + answers, true, "", "m1:4"},
	} {
		t.Run(name, func(t *testing.T) {
			var taken []events.Event
			turns := func() string {
				var out []string
				for _, e := range taken {
					if turn, is := e.Data.(*sessionevents.Turn); is {
						out = append(out, fmt.Sprintf("%s:%d", turn.TurnID, len(turn.Blocks)))
					}
				}
				return strings.Join(out, " ")
			}
			file := &growing{parts: []string{asks + c.begun, c.rest}}
			var source *transcript.Source
			looked := false
			file.rested = func() {
				if source != nil && !looked {
					looked = true
					taken = append(taken, source.Rest(c.long)...)
					require.Equal(t, c.resting, turns())
				}
			}
			source, err := all.Formats().Open(file, transcript.Options{Follow: true})
			require.NoError(t, err)
			for {
				e, err := source.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				taken = append(taken, e)
			}
			require.True(t, looked, "it rests while it is read")
			require.Equal(t, c.end, turns())
		})
	}
}
