// Package workload makes sessions of coding agents up, for chaos, bench and
// end-to-end tests: deterministic from a seed, with the sizes and rates that
// were measured on real transcripts.
package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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

// Mix is the measured mix of sizes with a little of everything that is detected.
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
	list := []events.Event{m.event(events.TypeSessionOpened, "opened", at, &events.SessionOpened{
		Session: m.session, Workspace: "/srv/app", Agent: &events.Agent{ID: "agent-" + m.session, Kind: "claude-code"},
	})}
	for n := 1; n <= m.options.Turns; n++ {
		at = at.Add(20 * time.Second)
		turn := m.turn(n)
		list = append(list, m.event(events.TypeTurnRaw, turn.TurnID, at, turn))
	}
	return append(list, m.event(events.TypeSessionClosed, "closed", at.Add(time.Minute),
		&events.SessionClosed{Session: m.session, Reason: "completed"}))
}

func (m *maker) event(typ events.Type, id string, at time.Time, data any) events.Event {
	return events.Event{ID: m.session + "-" + id, Source: source, Type: typ, Subject: m.session, Time: at, Data: data}
}

// turn is one response with its tools' results, near a size drawn from the mix.
func (m *maker) turn(n int) *events.Turn {
	t := &events.Turn{
		Session: m.session, TurnID: fmt.Sprintf("t%05d", n), Format: "blocks",
		Agent: events.Agent{ID: "agent-" + m.session, Kind: "claude-code"},
	}
	if n == 1 {
		t.Blocks = append(t.Blocks, events.Block{Type: events.BlockUser, Text: "Please add pagination to the orders list of the shop and keep the existing filters working."})
	}
	text := m.prose(1 + m.random.IntN(3))
	if m.chance(m.options.Creep) {
		text += " " + m.pick(creep)
	}
	if m.chance(0.6) {
		t.Blocks = append(t.Blocks, events.Block{Type: events.BlockText, Text: text})
	}
	budget := m.size()
	for range 1 + m.random.IntN(2) {
		switch {
		case m.chance(0.22):
			m.edit(t, min(budget/2, 8000))
		case m.chance(0.3):
			m.shell(t, budget)
		default:
			m.read(t, budget)
		}
	}
	return t
}

// size draws from the lognormal distribution; 0.72 leaves room for what a turn
// holds beside its results.
func (m *maker) size() int {
	sigma := math.Log(m.options.P90Bytes/m.options.MedianBytes) / 1.2816
	return int(0.72 * m.options.MedianBytes * math.Exp(sigma*m.random.NormFloat64()))
}

func (m *maker) read(t *events.Turn, budget int) {
	r := read{path: fmt.Sprintf("src/%s/%s.py", m.pick(nouns), m.pick(nouns)), output: ""}
	if len(m.reads) > 0 && m.chance(m.options.Reread) {
		r = m.reads[m.random.IntN(len(m.reads))]
	} else {
		r.output = m.code(budget)
		m.reads = append(m.reads, r)
		if len(m.reads) > 8 {
			m.reads = m.reads[1:]
		}
	}
	m.call(t, "Read", map[string]any{"file_path": r.path}, r.output, false)
}

func (m *maker) edit(t *events.Turn, budget int) {
	path := fmt.Sprintf("src/%s/%s.py", m.pick(nouns), m.pick(nouns))
	body := m.code(max(budget, 200))
	if m.chance(m.options.Secret) {
		secret := m.secret()
		m.secrets = append(m.secrets, secret)
		body += fmt.Sprintf("\nclient = connect(api_key=%q)\n", secret)
	}
	m.call(t, "Write", map[string]any{"file_path": path, "content": body}, "File created successfully at: "+path, false)
}

func (m *maker) shell(t *events.Turn, budget int) {
	if m.chance(0.1) {
		m.call(t, "Bash", map[string]any{"command": "python -m pytest -q tests/" + m.pick(nouns)},
			"E   AssertionError: "+m.prose(1)+"\n1 failed, 12 passed in 0.52s\n", true)
		return
	}
	m.call(t, "Bash", map[string]any{"command": "grep -rn " + m.pick(nouns) + " src"}, m.code(budget), false)
}

func (m *maker) call(t *events.Turn, tool string, input map[string]any, output string, failed bool) {
	m.calls++
	data, _ := json.Marshal(input) // maps of strings always encode
	id := fmt.Sprintf("c%06d", m.calls)
	t.Blocks = append(t.Blocks,
		events.Block{Type: events.BlockToolCall, ID: id, Name: tool, Input: data},
		events.Block{Type: events.BlockToolResult, ID: id, Output: output, IsError: &failed})
}

func (m *maker) chance(p float64) bool { return m.random.Float64() < p }

func (m *maker) pick(list []string) string { return list[m.random.IntN(len(list))] }
