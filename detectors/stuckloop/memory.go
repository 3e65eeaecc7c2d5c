package stuckloop

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// memory is what C4 keeps of a session, all of it bounded.
type memory struct {
	Steps   []step    `json:"s,omitempty"` // the last calls since the last change, oldest first
	Row     int       `json:"r,omitempty"` // in how many tries in a row the last pair came
	Streaks []streak  `json:"k,omitempty"`
	Polls   []poll    `json:"p,omitempty"`
	Failing []failing `json:"f,omitempty"`
	Written []written `json:"w,omitempty"`
	// Edits counts effective edits since the last message.
	Edits       int    `json:"e,omitempty"`
	Compactions int    `json:"c,omitempty"` // turns in a row that only compacted
	Said        uint32 `json:"u,omitempty"` // hash of the last user message
	Last        uint32 `json:"l,omitempty"` // key of the last call
	Home        string `json:"h,omitempty"` // the directory that commands named first

	Calls     int         `json:"n,omitempty"` // of the session
	Sightings []sightings `json:"i,omitempty"`
	Emptied   []emptied   `json:"o,omitempty"`
	Place     string      `json:"a,omitempty"` // the folder of the workspace that a cd left the shell in
	PlaceTurn int         `json:"b,omitempty"`
	Rewritten []uint32    `json:"t,omitempty"` // files written as a whole since the last check
	Tested    string      `json:"d,omitempty"` // the last test command that ran tests
	Spoken    []uint32    `json:"m,omitempty"` // sketch of the last turn that called nothing
	Monologue int         `json:"q,omitempty"` // how many said the same

	foreseen *foreseen // while the signals of one turn are judged
}

// step is one call with its result.
type step struct {
	Key       uint32 `json:"k"`
	Result    uint32 `json:"r,omitempty"` // 0: not known
	Error     uint32 `json:"e,omitempty"` // of the signature
	Target    uint32 `json:"t,omitempty"` // only when the result repeats
	Turn      int    `json:"n"`
	Round     int    `json:"d,omitempty"` // of its turn: a call after the result of the one before is another try
	Empty     bool   `json:"o,omitempty"` // a success without content
	Transient bool   `json:"x,omitempty"`
	Mixed     bool   `json:"m,omitempty"` // a failure whose output says more than the error
	Label     string `json:"a,omitempty"` // of the newest ones
}

// sameTry reports whether two steps were sent before either had a result.
func (s *step) sameTry(o *step) bool { return s.Turn == o.Turn && s.Round == o.Round }

func (s *step) pair() uint64 { return uint64(s.Key)<<32 | uint64(s.Result) }

// streak is a loop that was seen since the last change.
type streak struct {
	ID      uint64   `json:"i"`
	Kind    kind     `json:"k"`
	Subject string   `json:"s"`
	Length  int      `json:"l"`
	First   int      `json:"n"` // turn in which it began
	Loop    bool     `json:"p,omitempty"`
	Turn    int      `json:"t,omitempty"` // it grew last
	Error   string   `json:"e,omitempty"` // the last one it gave
	Marks   []uint32 `json:"m,omitempty"` // keys, results or errors that go on with it
}

// poll is a call that asks for the state of something that runs.
type poll struct {
	Key       uint32 `json:"k"`
	Result    uint32 `json:"r"`
	Identical int    `json:"i"`
	Turn      int    `json:"n"`           // of the first identical result
	Since     int64  `json:"t,omitempty"` // Unix time of the first call, 0: not known
}

// failing is a test that keeps failing although files are edited.
type failing struct {
	ID     uint32 `json:"i"` // of the test's name, else of the error's signature
	Name   string `json:"t,omitempty"`
	Key    uint32 `json:"k"` // of the call that showed it first
	Runs   int    `json:"r"`
	Before int    `json:"b"` // memory.Edits when it failed first
	Edits  int    `json:"e"` // … and when it failed last
	Turn   int    `json:"n"`
}

// written is a file with the content it was last created with.
type written struct {
	Path    uint32 `json:"p"`
	Content string `json:"c"`
}

// Bounds of the smaller lists.
const (
	maxLabels  = 8
	maxPolls   = 4
	maxFailing = 8
	maxWritten = 8
	maxMarks   = 8
)

// changed forgets the calls: after a change the same call may give another
// result. A test that failed before is only over when it passes, and a change of
// files does not fix the form of a call.
func (m *memory) changed() {
	m.Steps, m.Row, m.Polls, m.Emptied = nil, 0, nil, nil
	m.Streaks = slices.DeleteFunc(m.Streaks, func(s streak) bool { return !lasting[s.Kind] })
}

// lasting are the kinds that no change of files ends.
var lasting = map[kind]bool{
	kindFailing: true, kindMalformed: true, kindSearch: true, kindUntested: true, kindMissing: true, kindChurn: true, kindMonologue: true, kindRefused: true, kindLost: true,
}

// clear resets the memory, but for the tests that keep failing: a person who
// speaks of something else does not fix them.
func (m *memory) clear() {
	fresh := memory{Said: m.Said, Home: m.Home, Calls: m.Calls, Tested: m.Tested, Failing: m.Failing, Edits: m.Edits, Place: m.Place, PlaceTurn: m.PlaceTurn}
	for _, s := range m.Streaks {
		if s.Kind == kindFailing {
			fresh.Streaks = append(fresh.Streaks, s)
		}
	}
	*m = fresh
}

// remember adds a step. The same pair twice before a result is one try.
func (m *memory) remember(s step, window int) {
	switch n := len(m.Steps); {
	case n == 0 || m.Steps[n-1].pair() != s.pair():
		m.Row = 1
	case !m.Steps[n-1].sameTry(&s):
		m.Row++
	}
	m.Steps = text.Newest(append(m.Steps, s), window)
	if n := len(m.Steps); n > maxLabels {
		m.Steps[n-1-maxLabels].Label = ""
	}
}

// streak is the place of a loop that goes on, else −1.
func (m *memory) streak(k kind, id uint64) int {
	return slices.IndexFunc(m.Streaks, func(s streak) bool { return s.Kind == k && s.ID == id })
}

// firstOfRow is the turn in which the last pair's row began.
func (m *memory) firstOfRow() int {
	first := 0
	for i := len(m.Steps) - 1; i >= 0 && m.Steps[i].pair() == m.Steps[len(m.Steps)-1].pair(); i-- {
		first = m.Steps[i].Turn
	}
	return first
}

// seen reports whether the pair is one of the last calls.
func (m *memory) seen(s *step) bool {
	return slices.ContainsFunc(m.Steps, func(old step) bool { return old.pair() == s.pair() })
}

// repeats reports whether a call was made before, whatever it gave.
func (m *memory) repeats(key uint32) bool {
	return slices.ContainsFunc(m.Steps, func(s step) bool { return s.Key == key }) ||
		slices.ContainsFunc(m.Polls, func(p poll) bool { return p.Key == key })
}

// tally is how many calls fulfil a condition, in how many tries, and in which turn first.
type tally struct{ calls, turns, first int }

// count looks at the last n steps.
func (m *memory) count(n int, is func(*step) bool) (t tally) {
	var last *step
	for i := max(0, len(m.Steps)-n); i < len(m.Steps); i++ {
		s := &m.Steps[i]
		if !is(s) {
			continue
		}
		if t.calls++; t.calls == 1 {
			t.first = s.Turn
		}
		if last == nil || !last.sameTry(s) {
			t.turns++
			last = s
		}
	}
	return t
}
