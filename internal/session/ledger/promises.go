package ledger

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// promiseReader reads what the primary promises and a person requests, and whether it was
// done.
type promiseReader struct{ *digest }

// todo reads the primary's own list: its entries are promises, and each one that it
// checks off is a claim (PD-1).
func (d promiseReader) todo(s *sessionevents.Segment, at Place) {
	old := d.l.Todo
	single := len(s.Todo) == 1 && s.Tool != nil && strings.HasPrefix(strings.ToLower(s.Tool.Name), "task") // TaskCreate, TaskUpdate
	for _, item := range s.Todo {
		before := sessionevents.TodoStatus("")
		if i := slices.IndexFunc(old, func(o sessionevents.TodoItem) bool { return sameItem(o, item) }); i >= 0 {
			before = old[i].Status
			if item.Text == "" {
				item.Text = old[i].Text
			}
		}
		if item.Status == sessionevents.TodoCompleted && before != sessionevents.TodoCompleted && item.Text != "" {
			d.ticked(item, at, before == "")
		}
	}
	if !single {
		for _, o := range old {
			open := o.Status == sessionevents.TodoPending || o.Status == sessionevents.TodoInProgress
			if open && len(s.Todo) > 0 && !slices.ContainsFunc(s.Todo, func(i sessionevents.TodoItem) bool { return sameItem(i, o) }) {
				d.out.Dropped = append(d.out.Dropped, o)
			}
		}
		d.l.Todo = slices.Clone(s.Todo)
	} else {
		d.l.Todo = updated(old, s.Todo[0])
	}
	d.l.TodoAt = at
	for _, item := range d.l.Todo {
		d.promise(sessionevents.Promise{Source: sessionevents.PromiseTodo, Text: d.shorten(item.Text), Turn: at.Turn, Status: item.Status})
	}
}

// updated returns a list with one entry changed or added.
func updated(list []sessionevents.TodoItem, item sessionevents.TodoItem) []sessionevents.TodoItem {
	list = slices.Clone(list)
	if i := slices.IndexFunc(list, func(o sessionevents.TodoItem) bool { return sameItem(o, item) }); i >= 0 {
		list[i].Status = item.Status
		return list
	}
	return append(list, item)
}

func sameItem(a, b sessionevents.TodoItem) bool {
	if a.ID != "" && b.ID != "" && (a.Text == "" || b.Text == "") {
		return a.ID == b.ID
	}
	return strings.EqualFold(a.Text, b.Text)
}

// ticked judges an entry that the primary checks off.
func (d promiseReader) ticked(item sessionevents.TodoItem, at Place, listed bool) {
	c := sessionevents.Claim{Kind: sessionevents.ClaimTodo, Turn: at.Turn, Segment: at.Segment, Text: d.shorten(item.Text), Final: d.out.Final}
	v := claimView{Claim: &c}
	v.lacks(sessionevents.NotCheckable, "", "What would show it is not known.")
	if listed {
		// Checked off when first named: the work for it precedes the list. Reading alone
		// may be all that an entry requires.
		acts := d.c.TodoCreates.MatchString(item.Text) || d.c.TodoTests.MatchString(item.Text) || d.c.TodoRuns.MatchString(item.Text)
		if acts && d.l.Acted.Zero() && !(d.l.Failing.Zero() && d.l.Vain.Zero()) {
			v.lacks(sessionevents.Unproven, GapIdle, "Nothing changed and no command succeeded so far.")
			d.record(c)
		}
		return
	}
	switch {
	case d.l.Delegated.After(d.l.TodoAt): // a subagent may have done it
	case d.c.TodoTests.MatchString(item.Text):
		_, paths := d.l.Changed(Place{}, sessionevents.MutationTests)
		if len(paths) == 0 {
			v.lacks(sessionevents.Unproven, GapUnwritten, "The session wrote no test.")
		} else {
			v.lacks(sessionevents.Proven, "", "%s changed.", names(paths))
		}
	case d.c.TodoRuns.MatchString(item.Text):
		d.tickedRun(v)
	case d.c.TodoCreates.MatchString(item.Text):
		d.tickedFile(v, item.Text)
	}
	if c.Verdict == sessionevents.NotCheckable && !d.l.TodoAt.Zero() && !d.l.Acted.After(d.l.TodoAt) && d.l.Failing.After(d.l.TodoAt) {
		v.lacks(sessionevents.Unproven, GapIdle, "Since turn %d nothing changed and no command succeeded.", d.l.TodoAt.Turn)
	}
	d.record(c)
}

func (d promiseReader) tickedRun(c claimView) {
	runs := d.l.runs(d.c.kindsNamed(c.Text)...)
	switch {
	case len(runs) == 0 && len(d.l.runs()) == 0 && d.l.Ran.Zero() && d.l.Delegated.Zero():
		c.Show = d.known(sessionevents.CheckTest)
		c.lacks(sessionevents.Unproven, GapNever, "No check ran in this session.")
	case len(runs) > 0:
		latest := runs[len(runs)-1]
		c.By = &latest
		if latest.Result == sessionevents.CheckFailed {
			c.lacks(sessionevents.Contradicted, GapFailed, "%s of turn %d failed.", quoted(latest.Command), latest.Turn)
		} else {
			c.lacks(sessionevents.Proven, "", "%s ran in turn %d.", quoted(latest.Command), latest.Turn)
		}
	}
}

// kindsNamed returns the kinds of checks that an entry names, or all kinds if it names
// none.
func (c *Config) kindsNamed(text string) []sessionevents.CheckKind {
	for _, blame := range c.Blames {
		if !blame.Names.MatchString(text) {
			continue
		}
		switch blame.Kind {
		case sessionevents.ClaimTests:
			return shownBy[sessionevents.ClaimTests]
		case sessionevents.ClaimBuild:
			return shownBy[sessionevents.ClaimBuild]
		}
	}
	return nil
}

// tickedFile judges whether a file that an entry names was written.
func (d promiseReader) tickedFile(c claimView, text string) {
	var files []string
	for _, m := range d.c.TodoFiles.FindAllStringSubmatch(strings.ReplaceAll(text, " ", "  "), -1) {
		files = append(files, m[1])
	}
	if len(files) == 0 {
		since := d.promised(text)
		if changed, _ := d.l.Changed(since); changed.Zero() && d.l.Acted.Turn > 0 && !since.Zero() {
			c.lacks(sessionevents.Unproven, GapUnwritten, "No file changed since turn %d, where the entry was first named.", since.Turn)
		}
		return
	}
	missing := 0
	for _, file := range files {
		i := slices.IndexFunc(d.l.Files, func(f File) bool { return path.Base(f.Path) == path.Base(file) })
		if i >= 0 && d.l.Files[i].Empty {
			c.lacks(sessionevents.Unproven, GapUnwritten,
				"%s was written in turn %d and holds neither a letter nor a digit.",
				file, d.l.Files[i].At.Turn)
			return
		}
		if i < 0 && !d.registry.WrittenAfter(file, 0, 0) {
			missing++
		}
	}
	switch {
	case missing == 0:
		c.lacks(sessionevents.Proven, "", "%s was written.", names(files))
	case missing == len(files) && (d.l.Failing.After(d.l.TodoAt) || d.l.Acted.Zero()):
		c.lacks(sessionevents.Unproven, GapUnwritten, "The session never wrote %s.", names(files))
	}
}

// requests reads the individual points that a person's message requests (PD-1).
func (d promiseReader) requests(text string, at Place) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		rest := strings.TrimLeft(line, "0123456789")
		if rest == line || len(line)-len(rest) > 2 || !strings.HasPrefix(rest, ". ") && !strings.HasPrefix(rest, ") ") || len(rest) < 8 || d.c.ByHand.MatchString(rest) {
			continue
		}
		d.l.ListedAt = at.Turn
		d.promise(sessionevents.Promise{Source: sessionevents.PromiseTask, Text: d.shorten(rest[2:]), Turn: at.Turn, Status: sessionevents.TodoPending})
	}
}

func (d promiseReader) promise(p sessionevents.Promise) {
	if p.Text == "" {
		return
	}
	i := slices.IndexFunc(d.l.Promises, func(o sessionevents.Promise) bool { return o.Source == p.Source && o.Text == p.Text })
	if i >= 0 {
		p.Turn = d.l.Promises[i].Turn
		if d.l.Promises[i].Status == p.Status {
			return
		}
		d.l.Promises[i] = p
	} else {
		d.l.Promises = append(d.l.Promises, p)
	}
	d.out.Change.Promises = append(d.out.Change.Promises, p)
}

// promised returns where an entry was first named.
func (d promiseReader) promised(text string) Place {
	for _, p := range d.l.Promises {
		if p.Source == sessionevents.PromiseTodo && p.Text == d.shorten(text) {
			return Place{Turn: p.Turn}
		}
	}
	return Place{}
}
