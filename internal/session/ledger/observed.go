package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Observed is the latest observation of the workspace (JD-20). It was made when a
// response was complete, after its last call and before its last turn arrived, so it
// applies to the claims of that turn, and of later ones until a tool is called again.
type Observed struct {
	Paths    []sessionevents.ObservedPath `json:"p,omitempty"`
	Keys     []sessionevents.ObservedKey  `json:"k,omitempty"`
	Commit   string                       `json:"c,omitempty"`
	Unpushed *int                         `json:"u,omitempty"`
	// Turn is the response's last turn; 0 until it is known.
	Turn int `json:"t,omitempty"`
}

// Observe returns the ledger with an observation of the workspace.
func (l *Ledger) Observe(o *sessionevents.WorkspaceObserved) Ledger {
	next := *l
	next.Observed = &Observed{
		Paths: o.Paths[:min(len(o.Paths), sessionevents.MaxObserved)], Keys: o.Keys[:min(len(o.Keys), sessionevents.MaxObserved)],
		Commit: o.Commit, Unpushed: o.Unpushed, Turn: o.Turn,
	}
	return next
}

// outlive drops an observation that no longer applies to the turn: a tool was called
// after the response it was made for, or a person's message came before that was
// complete.
func (d *digest) outlive() {
	o := d.l.Observed
	if o == nil {
		return
	}
	called := slices.ContainsFunc(d.t.Segments, func(s sessionevents.Segment) bool { return s.Tool != nil })
	switch {
	case o.Turn == 0 && d.out.Final:
		covered := *o
		covered.Turn = d.t.Turn
		d.l.Observed = &covered
	case o.Turn > 0 && d.t.Turn > o.Turn && called:
		d.l.Observed = nil
	}
}

// observation returns the observation that applies to a claim, nil if there is none: the
// claim must end its response, without a call after it.
func (e *evidence) observation(c claimView) *Observed {
	o := e.l.Observed
	if o == nil || !c.Final || o.Turn > e.t.Turn {
		return nil
	}
	later := o.Turn > 0 && o.Turn < e.t.Turn
	for i := range e.t.Segments {
		if s := &e.t.Segments[i]; s.Tool != nil && (later || s.Index > c.Segment) {
			return nil
		}
	}
	return o
}

// observedJudge judges claims by an observation of the workspace, which takes precedence
// over the transcript (JD-13, JD-20).
type observedJudge struct {
	*evidence
	o *Observed
}

// judge reports whether the observation decides the claim.
func (j observedJudge) judge(c claimView) bool {
	switch c.Kind {
	case sessionevents.ClaimCreated:
		return j.created(c)
	case sessionevents.ClaimDeleted:
		return j.deleted(c)
	case sessionevents.ClaimMoved:
		return j.moved(c)
	case sessionevents.ClaimVariable:
		return j.variable(c)
	case sessionevents.ClaimCommitted:
		return j.committed(c)
	case sessionevents.ClaimPushed:
		return j.pushed(c)
	}
	return false
}

// exists returns whether the observation shows a file that a claim names: known is false
// if no path of that name was observed, or several that disagree.
func (o *Observed) exists(name string) (exists, known bool) {
	for i := range o.Paths {
		p := &o.Paths[i]
		if !sameFile(p.Path, name) {
			continue
		}
		if known && exists != p.Exists {
			return false, false
		}
		exists, known = p.Exists, true
	}
	return exists, known
}

// created judges whether all the named files exist: a single missing one contradicts the
// claim, unless the session itself removed it again.
func (j observedJudge) created(c claimView) bool {
	all := len(c.Subjects) > 0
	for _, name := range c.Subjects {
		exists, known := j.o.exists(name)
		switch {
		case exists && known:
		case !known || j.removed(name):
			all = false
		default:
			c.lacks(sessionevents.Contradicted, GapAbsent, "%s does not exist in the workspace.", quote.Path(name))
			return true
		}
	}
	if all {
		c.lacks(sessionevents.Proven, "", "The workspace has %s.", names(c.Subjects))
	}
	return all
}

// removed reports whether the session removed or moved a file that it may have created
// before.
func (j observedJudge) removed(name string) bool {
	return j.l.latest(sessionevents.ClaimDeleted, name) != nil || j.l.latest(sessionevents.ClaimMoved, name) != nil ||
		slices.ContainsFunc(j.l.Files, func(f File) bool { return f.Gone && sameFile(f.Path, name) })
}

// deleted judges whether none of the named files exists. An existing one contradicts the
// claim only if the session tried to remove that file: "removed a.py from the list" is
// about the list.
func (j observedJudge) deleted(c claimView) bool {
	all := len(c.Subjects) > 0
	for _, name := range c.Subjects {
		exists, known := j.o.exists(name)
		switch {
		case known && !exists:
		case known && j.removed(name) && !j.writtenAgain(name):
			c.lacks(sessionevents.Contradicted, GapAbsent, "%s is still in the workspace.", quote.Path(name))
			return true
		default:
			all = false
		}
	}
	if all {
		c.lacks(sessionevents.Proven, "", "The workspace no longer has %s.", names(c.Subjects))
	}
	return all
}

// writtenAgain reports whether the session wrote a file that now exists.
func (j observedJudge) writtenAgain(name string) bool {
	return slices.ContainsFunc(j.l.Files, func(f File) bool { return !f.Gone && sameFile(f.Path, name) })
}

// moved judges a move by both of its paths; a claim that names only one is left to the
// transcript.
func (j observedJudge) moved(c claimView) bool {
	if len(c.Subjects) != 2 {
		return false
	}
	from, fromKnown := j.o.exists(c.Subjects[0])
	to, toKnown := j.o.exists(c.Subjects[1])
	switch {
	case !fromKnown || !toKnown || from && j.writtenAgain(c.Subjects[0]):
		return false
	case !to && !j.removed(c.Subjects[1]):
		c.lacks(sessionevents.Contradicted, GapAbsent, "%s does not exist in the workspace.", quote.Path(c.Subjects[1]))
	case to && !from:
		c.lacks(sessionevents.Proven, "", "The workspace has %s, and no longer %s.", quote.Path(c.Subjects[1]), quote.Path(c.Subjects[0]))
	default:
		return false
	}
	return true
}

func (j observedJudge) variable(c claimView) bool {
	if len(c.Subjects) < 2 {
		return false
	}
	for _, k := range j.o.Keys {
		if k.Key != c.Subjects[0] || !sameFile(k.Path, c.Subjects[1]) {
			continue
		}
		if k.Set {
			c.lacks(sessionevents.Proven, "", "%s sets %s.", quote.Path(k.Path), k.Key)
		} else {
			c.lacks(sessionevents.Contradicted, GapAbsent, "%s does not set %s.", quote.Path(k.Path), k.Key)
		}
		return true
	}
	return false
}

// committed judges by the files that the session changed. It may be intended that some
// are not committed; if none is, that contradicts the claim, unless a commit of the
// session preceded the changes.
func (j observedJudge) committed(c claimView) bool {
	var open, kept []string
	unknown := false
	for _, f := range j.l.Files {
		i := slices.IndexFunc(j.o.Paths, func(p sessionevents.ObservedPath) bool { return p.Path == f.Path })
		switch {
		case i < 0:
			unknown = unknown || !path.IsAbs(f.Path)
		case j.o.Paths[i].Changed == nil: // Git ignores it
		case *j.o.Paths[i].Changed:
			open = append(open, f.Path)
		default:
			kept = append(kept, f.Path)
		}
	}
	a := j.l.latest(sessionevents.ClaimCommitted)
	switch {
	case len(kept) > 0 && len(open) == 0 && !unknown && j.o.Commit != "":
		c.lacks(sessionevents.Proven, "", "Git has no change of %s that is not committed.", names(kept))
	case len(open) > 0 && len(kept) == 0 && !unknown && (a == nil || a.Result == sessionevents.CheckFailed || j.uncommittedSince(a) == ""):
		c.act = a
		c.lacks(sessionevents.Contradicted, GapAbsent, "Git shows %s as not committed.", names(open))
	default:
		return false
	}
	return true
}

// uncommittedSince returns a file that changed after a commit.
func (j observedJudge) uncommittedSince(a *Act) string { return actJudge{j.evidence}.uncommitted(a) }

// pushed judges by the commits that are on no known remote. A push to an address, or by a
// tool other than Git, does not update what Git knows about its remotes.
func (j observedJudge) pushed(c claimView) bool {
	if j.o.Unpushed == nil {
		return false
	}
	a := j.done(c)
	elsewhere := a != nil && (!strings.HasPrefix(a.Command, "git ") || slices.ContainsFunc(a.Names, func(n string) bool { return strings.ContainsAny(n, ":/") }))
	switch n := *j.o.Unpushed; {
	case n == 0:
		c.lacks(sessionevents.Proven, "", "Every commit of the branch is on a remote.")
	case elsewhere:
		return false
	case n == 1:
		c.act = a
		c.lacks(sessionevents.Contradicted, GapAbsent, "One commit of the branch is on no remote.")
	default:
		c.act = a
		c.lacks(sessionevents.Contradicted, GapAbsent, "%d commits of the branch are on no remote.", n)
	}
	return true
}

// Questions are what an observation of the workspace can answer about the claims of a
// text (JD-20).
type Questions struct {
	// Paths are files that the text claims to exist, to be gone or to be moved, as it
	// names them; Keys holds the names of settings and the files that should have them.
	Paths []string
	Keys  []sessionevents.ObservedKey
	// Commits is set if the text claims that work was committed, Pushes if it was pushed.
	Commits, Pushes bool
	// Checks are the kinds of claims that a check of the project proves (JD-21); no
	// observation answers them.
	Checks []sessionevents.ClaimKind
}

// None reports whether an observation has nothing to answer.
func (q *Questions) None() bool { return len(q.Paths)+len(q.Keys) == 0 && !q.Commits && !q.Pushes }

// maxQuestions bounds the files in the questions about a text.
const maxQuestions = 20

// Questions returns the questions about the claims in a text of the primary.
func (c *Config) Questions(text string) Questions {
	var q Questions
	doc := prose.Parse(text)
	for i, span := range doc.Sentences() {
		if i >= c.Limits.Sentences {
			break
		}
		offset, _ := doc.SourceSpan(span)
		for _, read := range c.reader.Read(doc.Text[span.From:span.To], lineBefore(text, offset)) {
			q.of(read.Kind, read.Named)
		}
	}
	return q
}

func (q *Questions) of(kind sessionevents.ClaimKind, named []string) {
	switch kind {
	case sessionevents.ClaimCreated, sessionevents.ClaimDeleted, sessionevents.ClaimMoved:
		for _, name := range named {
			if name = path.Clean(name); len(q.Paths) < maxQuestions && !slices.Contains(q.Paths, name) {
				q.Paths = append(q.Paths, name)
			}
		}
	case sessionevents.ClaimVariable:
		if len(named) > 1 && len(q.Keys) < maxQuestions {
			q.Keys = append(q.Keys, sessionevents.ObservedKey{Key: named[0], Path: path.Clean(named[1])})
		}
	case sessionevents.ClaimCommitted:
		q.Commits = true
	case sessionevents.ClaimPushed:
		q.Pushes = true
	case sessionevents.ClaimTests, sessionevents.ClaimBuild, sessionevents.ClaimLint:
		if !slices.Contains(q.Checks, kind) {
			q.Checks = append(q.Checks, kind)
		}
	}
}

// Sets reports whether a line sets a key.
func (c *Config) Sets(line, key string) bool {
	m := c.Keys.FindStringSubmatch(line)
	return m != nil && m[1] == key
}

// Receive returns the ledger with the receipt of a check that a person ran in the current
// workspace (JD-21): it counts as a run after everything so far, for later claims. A
// receipt at another commit says nothing about the workspace, and one that did not finish
// proves nothing.
func (l *Ledger) Receive(r *sessionevents.CheckObserved) Ledger {
	next := *l
	if r.At != "" || r.Expired {
		return next
	}
	next.Checks = append(slices.Clone(l.Checks), sessionevents.LedgerRun{Check: r.Check, Turn: r.Turn, Segment: afterTurn, Command: r.Command})
	return next
}

// afterTurn is a segment number after all segments of a turn.
const afterTurn = 1 << 20
