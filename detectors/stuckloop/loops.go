package stuckloop

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// kind is a way to be stuck; it is the signal's subclass.
type kind string

const (
	kindRepeat     kind = "repeat"
	kindError      kind = "error"
	kindTransient  kind = "transient"
	kindCycle      kind = "cycle"
	kindVarying    kind = "varying"
	kindPolling    kind = "polling"
	kindFailing    kind = "failing_test"
	kindCompaction kind = "compaction"
	kindScattered  kind = "scattered"
	kindMalformed  kind = "malformed"
	kindIdle       kind = "idle" // of sightings only
	kindSearch     kind = "empty_search"
	kindUntested   kind = "ran_no_test"
	kindMissing    kind = "missing"
	kindChurn      kind = "churn"
	kindMonologue  kind = "monologue"
	kindRefused    kind = "refused_edit"
	kindLost       kind = "lost_folder"
)

// loop is what one step shows of a loop.
type loop struct {
	kind    kind
	id      uint64
	subject string
	length  int
	first   int // turn in which it began
	limits  limits
	marks   []uint32
	// error is the line that an error loop is about, edits what a failing test saw.
	error string
	edits int
	// mishap is what is wrong with the calls, job what they were to do, flag what
	// an earlier call had.
	mishap    mishap
	job, flag string
}

// look asks of each kind of loop in turn whether the newest step belongs to one.
func (n newest) look() bool {
	for _, find := range []func() (loop, bool){n.transient, n.errors, n.repeat, n.cycle, n.varying, n.scattered} {
		if l, ok := find(); ok && n.grow(l, n.a.segment) {
			return true
		}
	}
	return false
}

// repeat: the same pair of call and result in a row.
func (n newest) repeat() (loop, bool) {
	now := n.now
	l := loop{kind: kindRepeat, id: now.pair(), subject: now.Label, length: n.memory.Row, limits: n.Repeat, marks: []uint32{now.Key}}
	switch {
	case now.Error != 0:
		return l, false
	case now.Result == 0:
		l.limits = n.Unknown
	case now.Empty:
		l.limits = l.limits.times(n.EmptyFactor)
	}
	l.first = n.memory.firstOfRow()
	return l, true
}

// scattered: the same pair again and again with other calls between, and nothing changed.
func (n newest) scattered() (loop, bool) {
	now := n.now
	if now.Error != 0 || now.Result == 0 {
		return loop{}, false
	}
	same := n.memory.count(n.ErrorCalls, func(s *step) bool { return s.pair() == now.pair() })
	l := loop{kind: kindScattered, id: now.pair(), subject: now.Label, length: same.turns, first: same.first, limits: n.Scattered, marks: []uint32{now.Key}}
	if now.Empty {
		l.limits = l.limits.times(n.EmptyFactor)
	}
	return l, true
}

// errors: the same call fails in the same way, or the same error comes back
// whatever is called. Parallel calls were made before any of their results was
// seen, so that tries are counted.
func (n newest) errors() (loop, bool) {
	a, now := n.a, n.now
	if now.Error == 0 || now.Transient {
		return loop{}, false
	}
	row := n.memory.Row
	same := n.memory.count(n.ErrorCalls, func(s *step) bool { return s.Error == now.Error && s.Key == now.Key })
	all := n.memory.count(n.ErrorCalls, func(s *step) bool {
		return s.Error == now.Error && (s.Key == now.Key || s.Result == now.Result || !s.Mixed)
	})
	l := loop{
		kind: kindError, id: uint64(now.Error), subject: now.Label, length: max(row, all.turns), first: all.first,
		limits: n.Error, marks: []uint32{now.Error, now.Key}, error: a.failure.Error.Signature,
	}
	if max(row, same.turns) < l.limits.Nudge {
		l.limits.Nudge = 0 // different calls: no nudge, only a loop
	}
	return l, true
}

// transient: failures that may pass by themselves have a counter of their own.
func (n newest) transient() (loop, bool) {
	a, now := n.a, n.now
	if !now.Transient {
		return loop{}, false
	}
	all := n.memory.count(n.Window, func(s *step) bool { return s.Transient })
	return loop{
		kind: kindTransient, id: uint64(kindMark), subject: now.Label, length: all.turns, first: all.first,
		limits: n.Transient, marks: []uint32{now.Key, now.Error}, error: a.failure.Error.Signature,
	}, true
}

// kindMark is the id of a loop of which there is only one.
const kindMark = 1

// cycle: some calls in turn, each with the result it had before.
func (n newest) cycle() (loop, bool) {
	steps := n.memory.Steps
	if n.now.Transient {
		return loop{}, false // they have a counter of their own
	}
	for period := 2; period <= n.Period; period++ {
		rounds := n.Rounds
		if len(steps) < rounds*period {
			return loop{}, false
		}
		round := steps[len(steps)-period:]
		if !slices.ContainsFunc(round, func(s step) bool { return !s.Empty && s.Result != 0 }) {
			rounds *= n.EmptyFactor
		}
		if returns(steps, period, rounds) && differ(round) {
			return n.cycleOf(round, rounds*period), true
		}
	}
	return loop{}, false
}

// returns reports whether the last rounds of a period are the same.
func returns(steps []step, period, rounds int) bool {
	from := len(steps) - rounds*period
	if from < 0 {
		return false
	}
	for i := from + period; i < len(steps); i++ {
		if steps[i].pair() != steps[i-period].pair() || steps[i].sameTry(&steps[i-period]) {
			return false // a round of parallel calls is one try
		}
	}
	return true
}

func differ(round []step) bool {
	return slices.ContainsFunc(round, func(s step) bool { return s.Key != round[0].Key })
}

func (w *watch) cycleOf(round []step, length int) loop {
	l := loop{kind: kindCycle, length: length, limits: limits{Loop: length}, first: w.memory.Steps[len(w.memory.Steps)-length].Turn}
	var labels []string
	for i := range round {
		l.id += round[i].pair()
		l.marks = append(l.marks, round[i].Key)
		if label := text.Words(round[i].Label, cycleWords); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels) // the same at every position in the cycle
	if extra := len(labels) - 2; extra > 0 {
		labels = append(labels[:2], "…")
	}
	l.subject = strings.Join(labels, " ⇄ ")
	return l
}

// cycleWords are the words of each call in the name of a cycle.
const cycleWords = 5

// varying: other arguments, the same output. Distinct targets are batch work
// unless the output is an error.
func (n newest) varying() (loop, bool) {
	now := n.now
	limits := n.Varying
	if now.Empty {
		limits = limits.times(n.EmptyFactor)
	}
	if now.Result == 0 || now.Transient {
		return loop{}, false
	}
	keys, targets := map[uint32]bool{}, map[uint32]bool{}
	turns, first, steps := 0, 0, n.memory.Steps
	for i := len(steps) - 1; i >= 0 && turns <= limits.Loop && steps[i].Result == now.Result; i-- {
		if steps[i].Turn != first {
			turns, first = turns+1, steps[i].Turn
		}
		if turns > limits.Loop {
			break
		}
		keys[steps[i].Key], targets[steps[i].Target] = true, true
	}
	if len(keys) < 2 || now.Error == 0 && len(targets) > n.MaxTargets {
		return loop{}, false
	}
	return loop{kind: kindVarying, id: uint64(now.Result), subject: now.Label, length: min(turns, limits.Loop), first: first, limits: limits, marks: []uint32{now.Result}}, true
}
