package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Account is the balance of a stream's signals (DP-18).
type Account struct {
	Detected int                 `json:"detected"`
	Ends     map[events.Type]int `json:"ends"`    // signals by the type of the event that ended them
	Waiting  int                 `json:"waiting"` // in sessions that are still open
	// Unknown counts ends of signals that were detected before the stream begins, when it does not begin
	// with the session.
	Unknown int `json:"unknown,omitempty"`
	// Lost counts signals without an end whose end may be in an acknowledged loss.
	Lost int `json:"lost,omitempty"`
	// Faults counts broken invariants; First is the fault of the signal that was detected first.
	Faults int    `json:"faults"`
	First  *Fault `json:"first_fault,omitempty"`
}

// Fault describes a signal that does not have exactly one end.
type Fault struct {
	Session  string `json:"session"`
	Signal   string `json:"signal"`
	Detector string `json:"detector"`
	Turn     int    `json:"turn"`
	What     string `json:"what"`
}

// String returns the signal and its fault.
func (f Fault) String() string {
	return fmt.Sprintf("signal %s (%s, session %s, turn %d) %s", f.Signal, f.Detector, f.Session, f.Turn, f.What)
}

// Balanced reports whether every signal is accounted for: ended and waiting signals add up to all signals,
// and none has a fault.
func (a Account) Balanced() bool {
	sum := a.Waiting + a.Lost
	for _, n := range a.Ends {
		sum += n
	}
	return a.Faults == 0 && sum == a.Detected
}

// String returns the account on one line, the ends sorted by name.
func (a Account) String() string {
	parts := []string{fmt.Sprintf("%d detected", a.Detected)}
	for _, typ := range slices.Sorted(maps.Keys(a.Ends)) {
		parts = append(parts, fmt.Sprintf("%d %s", a.Ends[typ], strings.TrimPrefix(strings.TrimPrefix(string(typ), "signal."), "interrupt.")))
	}
	parts = append(parts, fmt.Sprintf("%d waiting", a.Waiting))
	if a.Unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d ends of signals from before the stream begins", a.Unknown))
	}
	if a.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d whose end may be in an acknowledged loss", a.Lost))
	}
	return strings.Join(parts, ", ")
}

// Result returns the account so far. Call it after any complete batch of the stream; the fold may continue
// afterwards.
func (d *Dispositions) Result() Account {
	end := *d
	end.account.Ends = maps.Clone(d.account.Ends)
	ids := slices.SortedFunc(maps.Keys(d.open), func(a, b string) int { return d.open[a].ordinal - d.open[b].ordinal })
	for _, id := range ids {
		switch w := d.open[id]; {
		case w.faulted:
		case w.wrong() != "":
			end.missing(w.ordinal, w.fault(w.wrong()))
		default:
			end.account.Waiting++
		}
	}
	return end.account
}
