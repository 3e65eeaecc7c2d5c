// Package workload generates sessions of coding agents for chaos, bench and
// end-to-end tests. They are deterministic from a seed and have the sizes and rates
// measured on real transcripts: of 100 turns 50 have text, 91 call a tool and 22
// edit; more than half of the output is from files that are read, nine tenths of
// those source code; commands print logs, listings and data.
package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Options shape the sessions.
type Options struct {
	Seed     uint64
	Sessions int
	Turns    int // per session
	// MedianBytes and P90Bytes are the sizes of a turn (lognormal); the measured
	// mix is 6,700 and 41,000.
	MedianBytes, P90Bytes float64
	// Secret is the chance that an edit plants a secret, Reread that a read
	// repeats an earlier one, Creep that a turn announces an unasked feature.
	Secret, Reread, Creep float64
	Start                 time.Time
}

// Mix returns the measured mix of sizes with a little of everything that is detected.
func Mix(seed uint64, sessions, turns int) Options {
	return Options{
		Seed: seed, Sessions: sessions, Turns: turns, MedianBytes: 6700, P90Bytes: 41000,
		Secret: 0.02, Reread: 0.15, Creep: 0.03, Start: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC),
	}
}

// Work is the sessions and what was planted in them.
type Work struct {
	Sessions [][]events.Event
	Secrets  []string // every planted value
}

// Make builds the sessions.
func Make(o Options) Work {
	var w Work
	for i := range o.Sessions {
		m := &maker{options: o, random: rand.New(rand.NewPCG(o.Seed, uint64(i)+1)), session: fmt.Sprintf("load-%d-%03d", o.Seed, i)}
		w.Sessions = append(w.Sessions, m.make())
		w.Secrets = append(w.Secrets, m.secrets...)
	}
	return w
}

// maker builds one session.
type maker struct {
	options Options
	random  *rand.Rand
	session string
	secrets []string
	reads   []read
	calls   int
}

type read struct{ path, output string }

const source = "/scaffoldwatch/workload"

func (m *maker) make() []events.Event {
	at := m.options.Start
	list := []events.Event{m.event(sessionevents.TypeSessionOpened, "opened", at, &sessionevents.SessionOpened{
		Session: m.session, Workspace: "/srv/app", Agent: &sessionevents.Agent{ID: "agent-" + m.session, Kind: "claude-code"},
	})}
	for n := 1; n <= m.options.Turns; n++ {
		at = at.Add(20 * time.Second)
		turn := m.turn(n)
		list = append(list, m.event(sessionevents.TypeTurnRaw, turn.TurnID, at, turn))
	}
	return append(list, m.event(sessionevents.TypeSessionClosed, "closed", at.Add(time.Minute),
		&sessionevents.SessionClosed{Session: m.session, Reason: "completed"}))
}

func (m *maker) event(typ events.Type, id string, at time.Time, data any) events.Event {
	return events.Event{ID: m.session + "-" + id, Source: source, Type: typ, Subject: m.session, Time: at, Data: data}
}

// turn returns one response with its tools' results, near a size drawn from the mix.
func (m *maker) turn(n int) *sessionevents.Turn {
	t := &sessionevents.Turn{
		Session: m.session, TurnID: fmt.Sprintf("t%05d", n), Format: "blocks",
		Agent: sessionevents.Agent{ID: "agent-" + m.session, Kind: "claude-code"},
	}
	if n == 1 {
		t.Blocks = append(t.Blocks, sessionevents.Block{Type: sessionevents.BlockUser, Text: "Please add pagination to the orders list of the shop and keep the existing filters working."})
	}
	if m.chance(0.3) {
		t.Blocks = append(t.Blocks, sessionevents.Block{Type: sessionevents.BlockThinking, Text: m.prose(7 + m.random.IntN(12))})
	}
	if m.chance(0.5) {
		text := m.prose(2 + m.random.IntN(7))
		if m.chance(2 * m.options.Creep) {
			text += " " + m.pick(creep)
		}
		t.Blocks = append(t.Blocks, sessionevents.Block{Type: sessionevents.BlockText, Text: text})
	}
	if m.chance(0.91) {
		budget := m.size()
		m.tool(t, budget)
		if m.chance(0.2) {
			m.tool(t, budget/4)
		}
	}
	return t
}

// tool is one call of the measured kinds. A read returns more than twice as much as a command.
func (m *maker) tool(t *sessionevents.Turn, budget int) {
	switch kind := m.random.Float64(); {
	case kind < 0.20:
		m.edit(t)
	case kind < 0.44:
		m.read(t, min(2*budget, maxRead))
	case kind < 0.58:
		m.call(t, "Grep", map[string]any{"pattern": m.pick(nouns), "path": "src", "output_mode": "content"}, m.found(3*budget/4), false)
	case kind < 0.61:
		m.todo(t)
	default:
		m.shell(t, 3*budget/4)
	}
}

// maxRead is where reading tools stop, 25,000 tokens.
const maxRead = 90_000

// size draws what a call prints from a lognormal distribution. Its median is above that of turns and its
// spread below, since three turns in ten print nothing.
func (m *maker) size() int {
	sigma := math.Log(m.options.P90Bytes/m.options.MedianBytes) / 1.9
	return int(1.65 * m.options.MedianBytes * math.Exp(sigma*m.random.NormFloat64()))
}

func (m *maker) path() string { return fmt.Sprintf("src/%s/%s.py", m.pick(nouns), m.pick(nouns)) }

func (m *maker) read(t *sessionevents.Turn, budget int) {
	var r read
	switch {
	case len(m.reads) > 0 && m.chance(m.options.Reread):
		r = m.reads[m.random.IntN(len(m.reads))]
	case m.chance(0.1):
		r = read{path: "docs/" + m.pick(nouns) + ".md", output: numbered(m.document(budget))}
	default:
		r = read{path: m.path(), output: numbered(m.code(budget))}
		m.reads = append(m.reads, r)
		if len(m.reads) > 8 {
			m.reads = m.reads[1:]
		}
	}
	m.call(t, "Read", map[string]any{"file_path": r.path}, r.output, false)
}

// edit changes a few lines, one time in four it writes a new file.
func (m *maker) edit(t *sessionevents.Turn) {
	path := m.path()
	secret := ""
	if m.chance(m.options.Secret) {
		value := m.secret()
		m.secrets = append(m.secrets, value)
		secret = fmt.Sprintf("\nclient = connect(api_key=%q)\n", value)
	}
	if m.chance(0.25) {
		m.call(t, "Write", map[string]any{"file_path": path, "content": m.code(600+m.random.IntN(2000)) + secret}, "File created successfully at: "+path, false)
		return
	}
	before, after := m.statements(1+m.random.IntN(6)), m.statements(2+m.random.IntN(8))
	m.call(t, "Edit", map[string]any{"file_path": path, "old_string": before, "new_string": after + secret}, "The file "+path+" has been updated.", false)
}

func (m *maker) todo(t *sessionevents.Turn) {
	var items []map[string]string
	for range 4 {
		items = append(items, map[string]string{"content": m.pick(verbs) + " the " + m.pick(nouns), "status": "pending"})
	}
	m.call(t, "TodoWrite", map[string]any{"todos": items}, "Todos have been modified successfully.", false)
}

func (m *maker) shell(t *sessionevents.Turn, budget int) {
	if m.chance(0.07) {
		m.call(t, "Bash", map[string]any{"command": "python -m pytest -q tests/" + m.pick(nouns)},
			"E   AssertionError: "+m.prose(1)+"\n1 failed, 12 passed in 0.52s\n", true)
		return
	}
	command := m.pick([]string{"python -m pytest -v tests/", "git diff HEAD~1 -- src/", "ls -la src/", "tail -n 200 log/", "make check TARGET="})
	m.call(t, "Bash", map[string]any{"command": command + m.pick(nouns)}, m.output(budget), false)
}

func (m *maker) call(t *sessionevents.Turn, tool string, input map[string]any, output string, failed bool) {
	m.calls++
	data, _ := json.Marshal(input) // text always encodes
	id := fmt.Sprintf("c%06d", m.calls)
	t.Blocks = append(t.Blocks,
		sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: tool, Input: data},
		sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: output, IsError: &failed})
}

func (m *maker) chance(p float64) bool { return m.random.Float64() < p }

func (m *maker) pick(list []string) string { return list[m.random.IntN(len(list))] }
