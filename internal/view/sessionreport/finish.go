package sessionreport

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Finish is the data of how a primary signals that it is done (DP-30).
type Finish struct {
	// Claims are the kinds of claims that state that work is done.
	Claims []sessionevents.ClaimKind `yaml:"claims"`
	// Cut are stop reasons of a response that was cut off, in any case, - and space as _.
	Cut []string `yaml:"cut"`
}

// EndsResponse reports whether a turn ends the primary's response: it says something and awaits nothing, or it
// reports with a call that ends the session. Only such a turn can signal that the primary is done.
func EndsResponse(d *sessionevents.TurnEvaluated) bool {
	return d.Failed == "" && (d.Pause.Why == sessionevents.PauseEndOfResponse || slices.ContainsFunc(claimsOf(d), isFinal))
}

func isFinal(c sessionevents.Claim) bool { return c.Final }

func claimsOf(d *sessionevents.TurnEvaluated) []sessionevents.Claim {
	if d.Ledger == nil {
		return nil
	}
	return d.Ledger.Claims
}

// finishFold is whether the primary signals that it is done.
type finishFold struct {
	worked bool
	turn   int // of the latest signal; 0 once work went on
}

// apply follows a turn (DP-30): the primary signals that it is done when its response is complete, it changed or
// checked something since the last signal, and it says so of its work, or has completed its own list. Words alone
// are not a signal: an answer to a question after the work is none.
func (f *finishFold) apply(by Finish, d *sessionevents.TurnEvaluated, listed bool) {
	if l := d.Ledger; l != nil && (len(l.Mutations) > 0 || len(l.Checks) > 0) {
		f.worked, f.turn = true, 0
	}
	if !f.worked || !EndsResponse(d) || by.cut(d.Observed) {
		return
	}
	says := func(c sessionevents.Claim) bool { return c.Final && slices.Contains(by.Claims, c.Kind) }
	if listed || slices.ContainsFunc(claimsOf(d), says) {
		f.worked, f.turn = false, d.Turn
	}
}

// cut reports whether a response was cut off.
func (by Finish) cut(o *sessionevents.Observations) bool {
	if o == nil || o.StopReason == "" {
		return false
	}
	reason := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(o.StopReason)))
	return slices.Contains(by.Cut, reason)
}

// listed reports whether the primary has a list of its own and has completed it.
func (f *doneFold) listed() bool {
	completed := false
	for _, p := range f.promises {
		switch {
		case p.Source != sessionevents.PromiseTodo || p.Status == sessionevents.TodoCancelled:
		case p.Status != sessionevents.TodoCompleted:
			return false
		default:
			completed = true
		}
	}
	return completed
}
