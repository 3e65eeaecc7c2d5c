package ledger

import (
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Place is a point in a session: a segment of a turn. The zero value lies before it.
type Place struct {
	Turn    int `json:"n,omitempty"`
	Segment int `json:"s,omitempty"`
}

// After reports whether p lies after o.
func (p Place) After(o Place) bool {
	return p.Turn > o.Turn || p.Turn == o.Turn && p.Segment > o.Segment
}

// Zero reports whether the place lies before the session.
func (p Place) Zero() bool { return p.Turn == 0 }

// File is a file that the session changed, with its last change.
type File struct {
	Path string                     `json:"p"`
	Kind sessionevents.MutationKind `json:"k"`
	At   Place                      `json:"a"`
	// First is the change with which the session began on it.
	First   Place `json:"f"`
	Gone    bool  `json:"g,omitempty"`
	Created bool  `json:"c,omitempty"`
	// Empty: it was written without a letter or a digit in it.
	Empty bool `json:"e,omitempty"`
}

// Trouble is an output of a command that says that something went wrong.
type Trouble struct {
	At      Place  `json:"a"`
	Command string `json:"c"`
	Text    string `json:"t"`
}

// Ledger is the state of one session. Entries leave oldest first.
type Ledger struct {
	Checks   []sessionevents.LedgerRun `json:"checks,omitempty"`
	Files    []File                    `json:"files,omitempty"`
	Claims   []sessionevents.Claim     `json:"claims,omitempty"`
	Promises []sessionevents.Promise   `json:"promises,omitempty"`
	Troubles []Trouble                 `json:"troubles,omitempty"`
	Todo     []sessionevents.TodoItem  `json:"todo,omitempty"`
	// Symbols are functions, types and files that the session made, the latest of them.
	Symbols []Symbol `json:"symbols,omitempty"`
	// Acts are the latest commits, pushes, migrations … with what became of them (JD-13).
	Acts []Act `json:"acts,omitempty"`
	// Looked are folders of tests that the session read in, which ordinary runs may leave out.
	Looked []string `json:"looked,omitempty"`
	// ListedAt is the turn of the person's last list of requests.
	ListedAt int `json:"listed_at,omitempty"`
	// TodoAt is where the list was last given; Acted is the last act that had an effect:
	// a change, or a command that did not fail.
	TodoAt Place `json:"todo_at,omitzero"`
	Acted  Place `json:"acted,omitzero"`
	// Vain is the last command that failed or did nothing at all.
	Vain Place `json:"vain,omitzero"`
	// Ran is the last command that may run the work without being a known check.
	Ran Place `json:"ran,omitzero"`
	// Shell says that the session can run commands; Delegated is the last call of a subagent.
	Shell     bool  `json:"shell,omitempty"`
	Delegated Place `json:"delegated,omitzero"`
	// Opaque is the last call of a tool that nobody knows: it may have done anything.
	Opaque Place `json:"opaque,omitzero"`
	// Unread is the last turn of which calls or results could not be interpreted (IN-1).
	Unread Place `json:"unread,omitzero"`
	// Joined: the session was not seen from its first turn on.
	Joined bool `json:"joined,omitempty"`
	// Asked is the person's last message; Reported the last one that reports a fault, and
	// NoChecks that it wants none run.
	Asked    Place `json:"asked,omitzero"`
	Reported Place `json:"reported,omitzero"`
	NoChecks bool  `json:"no_checks,omitempty"`
	// Blamed are the kinds of claims that the last report says are not so: "lint is broken".
	Blamed []sessionevents.ClaimKind `json:"blamed,omitempty"`
	// Answered is the last turn that ended a response or handed work over.
	Answered int `json:"answered,omitempty"`
	// Runner is the index from 1 of the known runner that the workspace's files show.
	Runner int `json:"runner,omitempty"`
	// Tests says that the project has tests which the session did not write.
	Tests bool `json:"tests,omitempty"`
	// Original is the last time that a check ran on the unchanged code: the changes put
	// aside, or another revision checked out.
	Original Place `json:"original,omitzero"`
	// Aside: the changes are put aside at the moment.
	Aside bool `json:"aside,omitempty"`
	// Failing is the last check, error or output that shows something failing.
	Failing Place `json:"failing,omitzero"`
	// Seen is the last record of a program or a machine that shows something failing, Lacking the
	// last failing check whose output says what the machine lacks.
	Seen    Place `json:"seen,omitzero"`
	Lacking Place `json:"lacking,omitzero"`
	// Found is the last failing linter whose output names a file that the session had changed.
	Found Place `json:"found,omitzero"`
	// Beyond is the last command that changed what tests use outside of the code.
	Beyond Place `json:"beyond,omitzero"`
	// Intermittent: the fault that was reported last comes and goes.
	Intermittent bool `json:"intermittent,omitempty"`
	// TestedIn is the last place at which the session wrote a test beside the files of tests: among
	// the code, or by a command.
	TestedIn Place `json:"tested_in,omitzero"`
	// Observed is the latest look at the workspace, nil once something was called since.
	Observed *Observed `json:"observed,omitempty"`
	Evicted  int       `json:"evicted,omitempty"`
}

// Turn is what a turn adds: the ledger after it and what it changes.
type Turn struct {
	Before *Ledger
	After  *Ledger
	Change sessionevents.LedgerChange
	// Claims are the turn's claims in order, Change.Claims among them.
	Claims []sessionevents.Claim
	// Final says that the response, or the session, ends with the turn, or that it hands work over.
	Final bool
	// Hedged: the primary names in this turn what it did not or could not check.
	Hedged bool
	// Admits: it names what went wrong or is left.
	Admits bool
	// Conceals is the sentence with which the primary sets out to leave something out of
	// its report, with its place; "" for none.
	Conceals   string
	ConcealsAt int
	// Printed is a text that only a check prints, which the primary printed or wrote
	// itself; "" for none.
	Printed   string
	PrintedAt int
	// Dropped are entries of its list that the primary left out before they were done.
	Dropped []sessionevents.TodoItem
	text    string // what the primary says in the turn
}

// Changed is the last change of a file of one of the kinds (all without one), and its paths since a place.
func (l *Ledger) Changed(since Place, kinds ...sessionevents.MutationKind) (last Place, paths []string) {
	for _, f := range l.Files {
		if !f.At.After(since) || len(kinds) > 0 && !has(kinds, f.Kind) {
			continue
		}
		paths = append(paths, f.Path)
		if f.At.After(last) {
			last = f.At
		}
	}
	return last, paths
}

func has[T comparable](list []T, x T) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// entryBytes is what an entry of the ledger takes beside its texts.
const entryBytes = 160

// Size estimates the bytes a ledger holds.
func (l *Ledger) Size() int {
	n := 512 + entryBytes*(2*len(l.Checks)+len(l.Files)+2*len(l.Claims)+len(l.Promises)+len(l.Troubles)+len(l.Todo))
	for i := range l.Checks {
		n += len(l.Checks[i].Command)
	}
	for i := range l.Files {
		n += len(l.Files[i].Path)
	}
	for i := range l.Claims {
		n += len(l.Claims[i].Text) + len(l.Claims[i].Why)
	}
	for i := range l.Promises {
		n += len(l.Promises[i].Text)
	}
	for i := range l.Symbols {
		n += entryBytes + len(l.Symbols[i].Path)
	}
	for i := range l.Acts {
		n += entryBytes + len(l.Acts[i].Command)
	}
	if l.Observed != nil {
		n += entryBytes * (1 + len(l.Observed.Paths) + len(l.Observed.Keys))
	}
	return n
}

// Changes is what the turn adds, as its event says it; nil for nothing.
func (t *Turn) Changes() *sessionevents.LedgerChange {
	c := &t.Change
	if len(c.Claims)+len(c.Checks)+len(c.Mutations)+len(c.Promises) == 0 {
		return nil
	}
	return c
}
