// Package ledger keeps the ledger of done of a session: changes, checks and their
// results, promises, and the primary's claims, with a verdict on each claim (PD-1, PD-2).
// It is part of the evaluator's session state, like the registry: pure, bounded, and
// stored as JSON. Phrases are data (rules/ledger.yaml).
package ledger

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Place is a point in a session: a segment of a turn. The zero value precedes the
// session.
type Place struct {
	Turn    int `json:"n,omitempty"`
	Segment int `json:"s,omitempty"`
}

// After reports whether p is after o.
func (p Place) After(o Place) bool {
	return p.Turn > o.Turn || p.Turn == o.Turn && p.Segment > o.Segment
}

// Zero reports whether the place precedes the session.
func (p Place) Zero() bool { return p.Turn == 0 }

// File is a file that the session changed, with its last change.
type File struct {
	Path string                     `json:"p"`
	Kind sessionevents.MutationKind `json:"k"`
	At   Place                      `json:"a"`
	// First is the session's first change to it.
	First   Place `json:"f"`
	Gone    bool  `json:"g,omitempty"`
	Created bool  `json:"c,omitempty"`
	// Empty is set if it was written without a letter or a digit in it.
	Empty bool `json:"e,omitempty"`
	// Cleared is set if it is gone and nothing that runs can miss it: a test, or the output of a check.
	Cleared bool `json:"x,omitempty"`
}

// SuiteRun is a run of tests whose output names a suite.
type SuiteRun struct {
	Suite string `json:"s"`
	At    Place  `json:"a"`
}

// Trouble is an output of a command that reports a problem.
type Trouble struct {
	At      Place  `json:"a"`
	Command string `json:"c"`
	Text    string `json:"t"`
}

// Ledger is the state of one session. The oldest entries are dropped first.
type Ledger struct {
	Checks   []sessionevents.LedgerRun `json:"checks,omitempty"`
	Files    []File                    `json:"files,omitempty"`
	Claims   []sessionevents.Claim     `json:"claims,omitempty"`
	Promises []sessionevents.Promise   `json:"promises,omitempty"`
	Troubles []Trouble                 `json:"troubles,omitempty"`
	Todo     []sessionevents.TodoItem  `json:"todo,omitempty"`
	// Symbols are the latest functions, types and files that the session created.
	Symbols []Symbol `json:"symbols,omitempty"`
	// Edited are the latest words of lines that edits added or removed.
	Edited []Edited `json:"edited,omitempty"`
	// Tries are the latest programs of the session's own that were written to try something.
	Tries []Try `json:"tries,omitempty"`
	// Acts are the latest commits, pushes, migrations … with their outcome (JD-13).
	Acts []Act `json:"acts,omitempty"`
	// Looked lists folders of tests that the session read and that ordinary runs may
	// leave out.
	Looked []string `json:"looked,omitempty"`
	// ListedAt is the turn of the person's last list of requests.
	ListedAt int `json:"listed_at,omitempty"`
	// TodoAt is where the list was last given; Acted is the last act with an effect: a
	// change, or a command that did not fail.
	TodoAt Place `json:"todo_at,omitzero"`
	Acted  Place `json:"acted,omitzero"`
	// Vain is the last command that failed or had no effect.
	Vain Place `json:"vain,omitzero"`
	// Ran is the last command that may run the work without being a known check.
	Ran Place `json:"ran,omitzero"`
	// Shell reports whether the session can run commands; Delegated is the last call of a
	// subagent.
	Shell     bool  `json:"shell,omitempty"`
	Delegated Place `json:"delegated,omitzero"`
	// Launched is the last call of a subagent that works in the background, until something may be heard of it.
	Launched Place `json:"launched,omitzero"`
	// Announced is the last call of a subagent that answered only what it was going to do.
	Announced Place `json:"announced,omitzero"`
	// Suites are the latest runs whose output names a suite that ordinary runs leave out.
	Suites []SuiteRun `json:"suites,omitempty"`
	// Remote is what continuous integration was last asked, nil if never.
	Remote *Remote `json:"remote,omitempty"`
	// Opaque is the last call of an unknown tool, which may have done anything.
	Opaque Place `json:"opaque,omitzero"`
	// Unread is the last turn with calls or results that could not be interpreted (IN-1).
	Unread Place `json:"unread,omitzero"`
	// Joined is set if the session was not observed from its first turn.
	Joined bool `json:"joined,omitempty"`
	// Asked is the person's last message; Reported is the last one that reports a fault,
	// NoChecks the last one that asks to run no checks.
	Asked    Place `json:"asked,omitzero"`
	Reported Place `json:"reported,omitzero"`
	NoChecks bool  `json:"no_checks,omitempty"`
	// Blamed holds the kinds of claims that the last report contradicts: "lint is
	// broken".
	Blamed []sessionevents.ClaimKind `json:"blamed,omitempty"`
	// Answered is the last turn that ended a response or handed work over.
	Answered int `json:"answered,omitempty"`
	// Runner is the index, from 1, of the known runner that the workspace's files show.
	Runner int `json:"runner,omitempty"`
	// Tests reports whether the project has tests that the session did not write.
	Tests bool `json:"tests,omitempty"`
	// Original is the last time a check ran on the unchanged code: with the changes
	// stashed, or another revision checked out.
	Original Place `json:"original,omitzero"`
	// Aside is set while the changes are stashed.
	Aside bool `json:"aside,omitempty"`
	// Unknown is the last program that no table knows: what it checks is not known (JD-15).
	Unknown Place `json:"unknown,omitzero"`
	// Trees are the latest worktrees that the session added; Entered is set while its shell may be in one.
	Trees   []string `json:"trees,omitempty"`
	Entered bool     `json:"entered,omitempty"`
	// Stashed is set until a stash is taken back: what is checked then is the unchanged code.
	Stashed bool `json:"stashed,omitempty"`
	// Failing is the last check, error or output that shows a failure.
	Failing Place `json:"failing,omitzero"`
	// Seen is the last log of a program or a machine that shows a failure, Lacking the
	// last failed check whose output names something missing on the machine.
	Seen    Place `json:"seen,omitzero"`
	Lacking Place `json:"lacking,omitzero"`
	// Found is the last failed linter whose output names a file that the session had
	// changed.
	Found Place `json:"found,omitzero"`
	// Beyond is the last command that changed what tests use outside the code.
	Beyond Place `json:"beyond,omitzero"`
	// Intermittent is set if the last reported fault is intermittent.
	Intermittent bool `json:"intermittent,omitempty"`
	// TestedIn is the last place at which the session wrote a test outside test files:
	// within the code, or by a command.
	TestedIn Place `json:"tested_in,omitzero"`
	// Explained is where the primary last told the person why a failing check is expected to fail.
	Explained Place `json:"explained,omitzero"`
	// Observed is the latest observation of the workspace, nil once a tool was called
	// since.
	Observed *Observed `json:"observed,omitempty"`
	Evicted  int       `json:"evicted,omitempty"`
}

// Turn holds what a turn adds: the resulting ledger and the changes.
type Turn struct {
	Before *Ledger
	After  *Ledger
	Change sessionevents.LedgerChange
	// Claims are the turn's claims in order, including those of Change.Claims.
	Claims []sessionevents.Claim
	// Final reports whether the turn ends the response or the session, or hands work
	// over.
	Final bool
	// Hedged is set if the primary names, in this turn, something that it did not or
	// could not check.
	Hedged bool
	// Admits is set if the primary names what went wrong or remains to be done.
	Admits bool
	// Conceals is the sentence in which the primary decides to leave something out of its
	// report, with its place; "" for none.
	Conceals   string
	ConcealsAt int
	// Printed is check output that the primary printed or wrote itself; "" for none.
	Printed   string
	PrintedAt int
	// Dropped are entries that the primary removed from its list before they were done.
	Dropped []sessionevents.TodoItem
	text    string // the primary's text in the turn
}

// Changed returns the last change of a file of one of the kinds (all kinds if none is
// given), and the paths changed since a place.
func (l *Ledger) Changed(since Place, kinds ...sessionevents.MutationKind) (last Place, paths []string) {
	for _, f := range l.Files {
		if !f.At.After(since) || len(kinds) > 0 && (f.Cleared || !has(kinds, f.Kind)) {
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

// entryBytes is the size of a ledger entry without its texts.
const entryBytes = 160

// Size estimates the size of a ledger in bytes.
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
	for i := range l.Edited {
		n += len(l.Edited[i]) + 16
	}
	for i := range l.Acts {
		n += entryBytes + len(l.Acts[i].Command)
	}
	if l.Observed != nil {
		n += entryBytes * (1 + len(l.Observed.Paths) + len(l.Observed.Keys))
	}
	return n
}

// Changes returns the turn's additions in the form of its event; nil if there are none.
func (t *Turn) Changes() *sessionevents.LedgerChange {
	c := &t.Change
	if len(c.Claims)+len(c.Checks)+len(c.Mutations)+len(c.Promises) == 0 {
		return nil
	}
	return c
}

// causeJudge judges claims about the cause of a failure.
type causeJudge struct{ *evidence }

// cause is not proven by the failure, which shows only that there is something to explain.
func (j causeJudge) cause(c claimView) {
	switch {
	case j.l.Seen.After(Place{Turn: j.l.Asked.Turn - 1}):
		c.lacks(sessionevents.NotCheckable, "", "The session saw a record in turn %d; that this is the cause is a conclusion.", j.l.Seen.Turn)
	case j.l.Failing.After(j.l.Reported) && !j.l.Failing.Zero() && j.l.Failing.After(Place{Turn: j.l.Asked.Turn - 1}):
		c.lacks(sessionevents.NotCheckable, "", "The session saw a failure in turn %d; that this is its cause is a conclusion.", j.l.Failing.Turn)
	default:
		c.lacks(sessionevents.Unproven, GapCause, "Nothing that the session ran shows the failure.")
	}
}

// excuse judges a claim that a failure is older, which a run on the unchanged code
// proves. Without a failed check there is nothing to excuse.
func (j causeJudge) excuse(c claimView) {
	changed, _ := j.l.Changed(Place{}, behaviour...)
	switch {
	case changed.Zero():
		c.lacks(sessionevents.NotCheckable, "", "The session changed nothing yet.")
	case j.passedSince():
		c.lacks(sessionevents.NotCheckable, "", "No check of the session fails at this place.")
	case j.c.Ambient.MatchString(c.Text) && !j.l.Lacking.Zero() && !j.l.Failing.After(j.l.Lacking):
		c.lacks(sessionevents.Proven, "", "The output of turn %d says what the machine lacks.", j.l.Lacking.Turn)
	case j.c.Located.MatchString(c.Text) && j.l.Found.Zero():
		c.lacks(sessionevents.NotCheckable, "", "A finding of a linter names its place.")
	case !j.l.Original.Zero():
		c.lacks(sessionevents.Proven, "", "A check ran on the unchanged code in turn %d.", j.l.Original.Turn)
	default:
		c.lacks(sessionevents.Unproven, GapExcuse, "No check ran on the code without the changes of this session.")
	}
}

// passedSince reports whether nothing failed in the session, or everything that failed
// has passed since.
func (j causeJudge) passedSince() bool {
	if j.l.Failing.Zero() {
		return true
	}
	runs := j.l.runs()
	later := after(runs, j.l.Failing)
	return j.c.openFailure(runs) == nil && slices.ContainsFunc(later, func(r sessionevents.LedgerRun) bool {
		return r.Result == sessionevents.CheckPassed
	})
}

// blamed returns the kinds of claims that a person's report of a fault contradicts.
func (c *Config) blamed(text string) []sessionevents.ClaimKind {
	var kinds []sessionevents.ClaimKind
	for _, sentence := range sentencesOf(text) {
		if !c.Reports.MatchString(sentence) || strings.HasSuffix(strings.TrimSpace(sentence), "?") {
			continue
		}
		for _, blame := range c.Blames {
			if blame.Names.MatchString(sentence) && !slices.Contains(kinds, blame.Kind) {
				kinds = append(kinds, blame.Kind)
			}
		}
	}
	return kinds
}

// comesAndGoes reports whether a message reports an intermittent fault.
func (c *Config) comesAndGoes(text string) bool {
	return slices.ContainsFunc(sentencesOf(text), func(s string) bool {
		return c.Intermittent.MatchString(s) && (c.Reports.MatchString(s) || c.Demands.MatchString(text))
	})
}
