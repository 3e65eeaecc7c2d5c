package control

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// whyEnded is the reason given for the unknown state of a key that has ended.
const whyEnded = "it has ended"

// Projection holds the states of runs and sessions by their keys in the bucket CONTROL.
// The zero value is empty.
type Projection struct{ known map[string]known }

// known is the state of one key.
type known struct {
	control  runevents.Control
	decided  bool   // by DECISIONS; false for a value of the bucket
	sequence uint64 // of the decision
	ended    bool
}

// Decide folds an event of DECISIONS, which must be proven (EV-6), with its sequence there. A
// decision older than the known one changes nothing. It returns the control state that the event
// decides, and false if it decides none.
func (p *Projection) Decide(e events.Event, sequence uint64) (Change, bool) {
	change, is := ChangeOf(e)
	if !is || sequence < p.known[change.Key].sequence {
		return change, is
	}
	now := known{control: change.Control, decided: true, sequence: sequence, ended: change.Ended}
	if change.Ended {
		now.control = runevents.Control{State: runevents.ControlUnknown, Why: whyEnded}
	}
	p.set(change.Key, now)
	return change, true
}

// Keep sets the state of a key from the bucket; see [Kept]. A decision takes precedence
// over it, whichever is read first.
func (p *Projection) Keep(key string, control runevents.Control) {
	if !p.known[key].decided {
		p.set(key, known{control: control})
	}
}

func (p *Projection) set(key string, now known) {
	if p.known == nil {
		p.known = map[string]known{}
	}
	p.known[key] = now
}

// Forget removes a key, such as one that has ended: it is unknown from then on.
func (p *Projection) Forget(key string) { delete(p.known, key) }

// Len returns the number of known keys.
func (p *Projection) Len() int { return len(p.known) }

// Of returns the strictest state of some keys, such as a session's and its run's. A
// missing key is unknown, never running (EV-8).
func (p *Projection) Of(keys ...string) runevents.Control {
	var out runevents.Control
	for _, key := range keys {
		one, is := p.known[key]
		if !is {
			one.control.State = runevents.ControlUnknown
		}
		out = Strictest(out, one.control)
	}
	return out
}

// MayBegin reports whether all of some keys are known to run, or have ended and may be
// started again.
func (p *Projection) MayBegin(keys ...string) bool {
	for _, key := range keys {
		if one := p.known[key]; !one.ended && !Permits(one.control.State, Task) {
			return false
		}
	}
	return true
}
