package workload

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// lone returns a dysfunction of a session without a run (RW-35): what its turns are.
func lone(name, stops string, says []string, sick, clean func(*maker, int) sessionevents.Block) dysfunction {
	tell := func(call func(*maker, int) sessionevents.Block) telling {
		return func(session string, random *rand.Rand, start time.Time) []events.Event {
			m := &maker{random: random, session: session}
			list := []events.Event{m.event(sessionevents.TypeSessionOpened, "opened", start, &sessionevents.SessionOpened{Session: session, Agent: &sessionevents.Agent{ID: "agent", Kind: "claude-code"}})}
			for n := 1; n <= loneTurns; n++ {
				block, no := call(m, n), false
				block.ID, block.Type = fmt.Sprintf("c%d", n), sessionevents.BlockToolCall
				result := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: block.ID, Output: block.Output, IsError: &no}
				block.Output = ""
				start = start.Add(20 * time.Second)
				list = append(list, m.event(sessionevents.TypeTurnRaw, fmt.Sprintf("t%d", n), start, &sessionevents.Turn{
					Session: session, TurnID: fmt.Sprintf("t%d", n), Format: "blocks", Blocks: []sessionevents.Block{block, result},
				}))
			}
			return append(list, m.event(sessionevents.TypeSessionClosed, "closed", start.Add(time.Minute), &sessionevents.SessionClosed{Session: session, Reason: "completed"}))
		}
	}
	return dysfunction{name: name, stops: stops, says: says, tellSick: tell(sick), tellClean: tell(clean)}
}

const loneTurns = 20

func call(tool string, input map[string]string, output string) sessionevents.Block {
	data, _ := json.Marshal(input) // text always encodes
	return sessionevents.Block{Name: tool, Input: data, Output: output}
}

// RW-35.
var sessions = []dysfunction{
	lone("stuck_loop", "soft stuck_loop", []string{"interrupt session 4.0"},
		func(*maker, int) sessionevents.Block {
			return call("Grep", map[string]string{"pattern": "timeout", "path": "config"}, "config/app.yaml:12: timeout: 30")
		},
		func(_ *maker, n int) sessionevents.Block {
			if n%3 == 2 { // searches alone would be a research spiral
				return call("Write", map[string]string{"file_path": fmt.Sprintf("limit%d.py", n), "content": fmt.Sprintf("LIMIT_%d = %d\n", n, n)}, "File created successfully.")
			}
			return call("Grep", map[string]string{"pattern": nouns[n%len(nouns)] + verbs[n%len(verbs)], "path": "config"}, fmt.Sprintf("config/app.yaml:%d: found", n))
		}),
	lone("ignored_interrupts", "soft ignored_interrupts", slices.Repeat([]string{"interrupt session B1-ESCALATE"}, 6),
		func(m *maker, n int) sessionevents.Block {
			return call("Write", map[string]string{"file_path": fmt.Sprintf("client%d.py", n), "content": fmt.Sprintf("TOKEN = %q\n", m.secret())}, "File created successfully.")
		},
		func(_ *maker, n int) sessionevents.Block {
			return call("Write", map[string]string{"file_path": fmt.Sprintf("client%d.py", n), "content": fmt.Sprintf("NUMBER_%d = %d\n", n, n)}, "File created successfully.")
		}),
}
