package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// actJudge judges claims that something was created, removed, committed, pushed,
// installed or set: only that very act, on that very thing, proves it (JD-13).
type actJudge struct{ *evidence }

func (j actJudge) judge(c claimView) {
	switch c.Kind {
	case sessionevents.ClaimCreated:
		j.created(c)
	case sessionevents.ClaimDeleted:
		j.deleted(c)
	case sessionevents.ClaimMoved:
		j.moved(c)
	case sessionevents.ClaimVariable:
		j.variable(c)
	case sessionevents.ClaimEndpoint:
		j.endpoint(c)
	default:
		j.act(c)
	}
}

// act judges a claim by the latest command of its kind.
func (j actJudge) act(c claimView) {
	a := j.done(c)
	if c.Kind == sessionevents.ClaimInstalled {
		for _, name := range packages(c.names) { // each of them
			if a = j.done(c, name); a == nil {
				c.lacks(
					sessionevents.NotCheckable,
					"",
					"What installs %s is not in this session.",
					quote.Words(name, 6),
				)
				return
			}
			if a.Result == sessionevents.CheckFailed {
				break
			}
		}
	}
	if a == nil {
		j.untried(c)
		return
	}
	j.outcome(c, a)
}

// outcome judges a claim by what became of the act that it speaks of.
func (j actJudge) outcome(c claimView, a *Act) {
	switch {
	case a.Result == sessionevents.CheckFailed:
		why := quoted(a.Command) + " of turn %d failed"
		if a.Says != "" {
			why += ": " + strings.ReplaceAll(quote.Words(a.Says, 12), "%", "%%")
		}
		c.act = a
		c.lacks(sessionevents.Contradicted, GapFailed, why+".", a.At.Turn)
	case a.Result == sessionevents.CheckUnknown:
		c.act = a
		c.lacks(sessionevents.NotCheckable, "", "What %s of turn %d came to is not known.", quoted(a.Command), a.At.Turn)
	case c.Kind == sessionevents.ClaimCommitted && j.uncommitted(a) != "":
		c.act = a
		c.lacks(sessionevents.NotCheckable, "", "%s changed after %s of turn %d.", j.uncommitted(a), quoted(a.Command), a.At.Turn)
	default:
		c.act = a
		c.lacks(sessionevents.Proven, "", "%s of turn %d succeeded.", quoted(a.Command), a.At.Turn)
	}
}

// uncommitted returns a file that changed after a commit.
func (j actJudge) uncommitted(a *Act) string {
	for _, f := range j.l.Files {
		if f.At.After(a.At) {
			return quote.Path(f.Path)
		}
	}
	return ""
}

// untried judges a claim that no command of the session performs. This is a fact only if
// the whole session is known.
func (j actJudge) untried(c claimView) {
	switch {
	case !j.whole(), c.Kind == sessionevents.ClaimDeployed:
		c.lacks(sessionevents.NotCheckable, "", "What does this is not in this session.")
	case j.l.Ran.Zero() && len(j.l.runs(sessionevents.CheckRun)) == 0 && len(j.l.Files) > 0:
		c.lacks(sessionevents.Contradicted, GapUntried, "No command of this session does it.")
	default:
		c.lacks(sessionevents.Unproven, GapUntried, "No command of this session that is known does it.")
	}
}

// created judges whether files were written: every file that the claim names.
func (j actJudge) created(c claimView) {
	for _, name := range c.Subjects {
		switch {
		case j.written(name):
		case j.registry.WroteUnknown(), j.l.latest(sessionevents.ClaimMoved, name) != nil, !j.whole(), j.dotted(name):
			c.lacks(sessionevents.NotCheckable, "", "What wrote %s is not in this session.", quote.Path(name))
			return
		case !j.l.Ran.Zero() || len(j.l.runs(sessionevents.CheckRun, sessionevents.CheckBuild)) > 0:
			c.lacks(sessionevents.NotCheckable, "", "No edit of this session wrote %s; a command may have.", quote.Path(name))
			return
		default:
			c.lacks(sessionevents.Contradicted, GapUnmade, "Nothing in this session wrote %s.", quote.Path(name))
			return
		}
	}
	c.lacks(sessionevents.Proven, "", "The session wrote %s.", names(c.Subjects))
}

// dotted reports whether a name that looks like a file may be something else: "Node.js".
func (j actJudge) dotted(name string) bool {
	return !strings.Contains(name, "/") && strings.ToLower(name[:1]) != name[:1] && path.Ext(name) == ".js"
}

// written reports whether the session wrote a file, by an edit or by a command whose
// writes are known.
func (j actJudge) written(name string) bool {
	return slices.ContainsFunc(j.l.Files, func(f File) bool { return sameFile(f.Path, name) && !f.Gone }) ||
		slices.ContainsFunc(j.registry.FilesWritten(), func(w registry.FileWritten) bool {
			return w.Turn > 0 && w.Path != "" && sameFile(w.Path, name) &&
				(path.IsAbs(name) || !j.c.files.Is(w.Path, files.Scratch))
		})
}

// sameFile reports whether a path is the file that a claim names, which may omit leading
// folders.
func sameFile(file, name string) bool {
	name = strings.TrimPrefix(path.Clean(strings.TrimPrefix(name, "./")), "/")
	return file == name || strings.HasSuffix("/"+strings.TrimPrefix(file, "/"), "/"+name) || strings.HasSuffix("/"+name, "/"+strings.TrimPrefix(file, "/"))
}

func (j actJudge) deleted(c claimView) {
	if len(c.Subjects) == 0 {
		if a := j.removed(c); a != nil {
			j.outcome(c, a)
			return
		}
		c.lacks(sessionevents.NotCheckable, "", "What removed it is not in this session.")
		return
	}
	for _, name := range c.Subjects {
		i := slices.IndexFunc(j.l.Files, func(f File) bool { return sameFile(f.Path, name) })
		a := j.l.latest(sessionevents.ClaimDeleted, name)
		if a == nil {
			a = j.l.latest(sessionevents.ClaimMoved, name)
		}
		switch {
		case a != nil && a.Result == sessionevents.CheckFailed:
			c.act = a
			c.lacks(sessionevents.Contradicted, GapFailed, "%s of turn %d failed.", quoted(a.Command), a.At.Turn)
			return
		case a != nil && (i < 0 || !j.l.Files[i].At.After(a.At)), i >= 0 && j.l.Files[i].Gone:
		case i >= 0 && a != nil:
			c.lacks(sessionevents.Contradicted, GapUnmade, "The session wrote %s again in turn %d.", quote.Path(name), j.l.Files[i].At.Turn)
			return
		case j.whole() && j.l.Ran.Zero() && len(j.l.runs(sessionevents.CheckRun)) == 0:
			c.lacks(sessionevents.Unproven, GapUntried, "No command of this session removes %s.", quote.Path(name))
			return
		default:
			c.lacks(sessionevents.NotCheckable, "", "What removed %s is not in this session.", quote.Path(name))
			return
		}
	}
	c.lacks(sessionevents.Proven, "", "The session removed %s.", names(c.Subjects))
}

func (j actJudge) moved(c claimView) {
	a := j.l.latest(sessionevents.ClaimMoved, c.Subjects...)
	switch {
	case a == nil:
		c.lacks(sessionevents.NotCheckable, "", "What moved it is not in this session.")
	case a.Result == sessionevents.CheckFailed:
		c.act = a
		c.lacks(sessionevents.Contradicted, GapFailed, "%s of turn %d failed.", quoted(a.Command), a.At.Turn)
	default:
		c.lacks(sessionevents.Proven, "", "%s of turn %d succeeded.", quoted(a.Command), a.At.Turn)
	}
}

// variable judges whether a settings file has a key, because an edit wrote it there.
func (j actJudge) variable(c claimView) {
	if len(c.Subjects) < 2 {
		c.lacks(sessionevents.NotCheckable, "", "The claim names no file.")
		return
	}
	key, file := c.Subjects[0], c.Subjects[1]
	for i := len(j.l.Acts) - 1; i >= 0; i-- {
		a := &j.l.Acts[i]
		if a.Kind != sessionevents.ClaimVariable || len(a.Names) != 2 || a.Names[0] != key {
			continue
		}
		if a.Result == sessionevents.CheckFailed {
			j.outcome(c, a)
			return
		}
		if sameFile(a.Names[1], file) {
			c.lacks(sessionevents.Proven, "", "Turn %d writes %s into %s.", a.At.Turn, key, quote.Path(file))
			return
		}
	}
	if j.untouched(file) {
		const why = "Nothing in this session changed %s since it was read."
		c.lacks(sessionevents.Unproven, GapUntried, why, quote.Path(file))
		return
	}
	c.lacks(sessionevents.NotCheckable, "", "No edit of this session writes %s; what %s holds is not known.", key, quote.Path(file))
}

// untouched reports whether the session read a file, and did nothing since that may have changed it.
func (j actJudge) untouched(file string) bool {
	reads := j.registry.Reads(file)
	if len(reads) == 0 || j.l.Joined || j.l.Evicted > 0 || !j.l.Delegated.Zero() || !j.l.Opaque.Zero() ||
		j.registry.WroteUnknown() || j.written(file) {
		return false
	}
	read := Place{Turn: reads[len(reads)-1].Turn, Segment: reads[len(reads)-1].Segment}
	return !j.l.Ran.After(read) && len(after(j.l.runs(), read)) == 0
}

// endpoint judges whether an address responds, by the latest request to it.
func (j actJudge) endpoint(c claimView) {
	changed, _ := j.l.Changed(Place{}, behaviour...)
	asks := route(c.Subjects[0])
	for _, r := range slices.Backward(j.l.runs(sessionevents.CheckRequest)) {
		if !asks(r.Runner) {
			continue
		}
		c.By = &r
		switch {
		case r.Result == sessionevents.CheckFailed && place(&r).After(changed):
			c.lacks(sessionevents.Contradicted, GapFailed, "The latest request, %s of turn %d, failed.", quoted(r.Command), r.Turn)
		case !place(&r).After(changed):
			c.Show = r.Command
			c.lacks(sessionevents.Unproven, GapStale, "The latest request to it, in turn %d, is older than the last change.", r.Turn)
		case r.Result == sessionevents.CheckPassed:
			c.proven(&r)
		default:
			c.lacks(sessionevents.NotCheckable, "", "What %s of turn %d came to is not known.", quoted(r.Command), r.Turn)
		}
		return
	}
	c.lacks(sessionevents.NotCheckable, "", "No request of this session asks %s.", c.Subjects[0])
}

// route returns whether an address is one of a route, whose parameters ("/stock/:sku", "/stock/{sku}") are any
// text.
func route(pattern string) func(address string) bool {
	parts := strings.FieldsFunc(pattern, func(r rune) bool { return r == '/' })
	return func(address string) bool {
		_, rest, found := strings.Cut(address, "://")
		if !found {
			rest = address
		}
		rest, _, _ = strings.Cut(rest, "?")
		asked := strings.FieldsFunc(rest, func(r rune) bool { return r == '/' })
		for from := range asked {
			if len(asked)-from < len(parts) {
				return false
			}
			if !slices.ContainsFunc(parts, func(p string) bool {
				a := asked[from]
				from++
				return !strings.ContainsAny(p[:1], ":{<*") && p != a
			}) {
				return true
			}
		}
		return false
	}
}

// packages returns the names of a claim that can be packages: no flags, no files.
func packages(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return strings.ContainsAny(n, " /$(){}") && !strings.HasPrefix(n, "@") })
}
