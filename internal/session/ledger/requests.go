package ledger

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// longest is the maximum length of a line of a plan, in bytes.
const longest = 420

// planned reads lines of a plan or task that name a test file to be written (PD-1).
func (d promiseReader) planned(text string, source sessionevents.PromiseSource, at Place) {
	if !strings.Contains(text, "est") {
		return
	}
	for line := range strings.Lines(text) {
		if len(line) > longest || !d.c.TodoTests.MatchString(line) || d.testFile(line) == "" || d.c.Exists.MatchString(line) {
			continue
		}
		d.promise(sessionevents.Promise{Source: source, Text: d.shorten(strings.TrimLeft(line, " \t-*•")), Turn: at.Turn, Status: sessionevents.TodoPending})
	}
}

// testFile returns the first test file that a line names; "" for none.
func (d *evidence) testFile(line string) string {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t`*\"'(),:;", r) }) {
		if word = strings.TrimRight(word, ".\r\n"); path.Ext(word) != "" && d.c.isTest(word) {
			return word
		}
	}
	return ""
}

// kept marks the promised tests in a file as written.
func (d promiseReader) kept(f File) {
	if f.Gone {
		return
	}
	for i := range d.l.Promises {
		p := &d.l.Promises[i]
		if p.Status != sessionevents.TodoPending || !d.c.TodoTests.MatchString(p.Text) {
			continue
		}
		if file := d.testFile(p.Text); file != "" && path.Base(file) == path.Base(f.Path) {
			p.Status = sessionevents.TodoCompleted
			d.out.Change.Promises = append(d.out.Change.Promises, *p)
		}
	}
}

// unwrittenTest returns a promised test file that did not change although code has
// changed since the promise.
func (d *evidence) unwrittenTest() (promise sessionevents.Promise, file string) {
	if d.l.Evicted > 0 {
		return promise, "" // the changed file may have been dropped
	}
	for _, p := range d.l.Promises {
		file := d.testFile(p.Text)
		if file == "" || d.t.Turn == p.Turn || d.l.Delegated.Turn >= p.Turn || !d.c.TodoTests.MatchString(p.Text) {
			continue
		}
		if changed, _ := d.l.Changed(Place{Turn: p.Turn}, sessionevents.MutationCode); changed.Zero() {
			continue
		}
		if !slices.ContainsFunc(d.l.Files, func(f File) bool { return path.Base(f.Path) == path.Base(file) }) {
			return p, file
		}
	}
	return sessionevents.Promise{}, ""
}

// keys returns the words of a request that work on it must mention: code spans, paths and
// identifiers.
func (d *evidence) keys(text string) []string {
	var out []string
	for _, m := range d.c.RequestKeys.FindAllString(text, -1) {
		m = strings.Trim(m, "`\"'().,:; ")
		if words := strings.Fields(m); len(words) > 1 { // a command: its most specific word
			m = slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
		}
		if len(m) > 2 {
			out = append(out, m)
		}
	}
	return out
}

// attend marks the person's numbered requests that the turn works on or mentions, and
// those without a word by which this could be recognized.
func (d promiseReader) attend() {
	open := false
	for i := range d.l.Promises {
		open = open || d.l.Promises[i].Source == sessionevents.PromiseTask && d.l.Promises[i].Status == sessionevents.TodoPending
	}
	if !open {
		return
	}
	said := strings.ToLower(d.did())
	for i := range d.l.Promises {
		p := &d.l.Promises[i]
		if p.Source != sessionevents.PromiseTask || p.Status != sessionevents.TodoPending {
			continue
		}
		keys := d.keys(p.Text)
		if len(keys) == 0 || slices.ContainsFunc(keys, func(k string) bool {
			return strings.Contains(said, strings.ToLower(k)) || strings.Contains(said, strings.ToLower(path.Base(k)))
		}) {
			p.Status = sessionevents.TodoInProgress
			d.out.Change.Promises = append(d.out.Change.Promises, *p)
		}
	}
}

// did returns everything that the primary says and does in the turn.
func (d promiseReader) did() string {
	var b strings.Builder
	for i := range d.t.Segments {
		s := &d.t.Segments[i]
		if s.Kind == sessionevents.SegmentUser {
			continue
		}
		b.WriteString(s.Text + "\n" + s.Path + "\n")
		if s.Tool != nil {
			b.WriteString(s.Tool.Command + "\n" + string(s.Tool.Input) + "\n")
		}
		if s.Diff != nil {
			for _, l := range s.Diff.Added() {
				b.WriteString(l.Text + "\n")
			}
			for _, h := range s.Diff.Hunks {
				b.WriteString(strings.Join(h.Lines, "\n"))
			}
		}
		for _, a := range s.Accesses {
			b.WriteString(a.Target + "\n")
		}
		for _, item := range s.Todo {
			b.WriteString(item.Text + "\n")
		}
	}
	return b.String()
}

// ignored returns a numbered request of the person's last list that the session does not
// mention, neither in its work nor in its words.
func (d *evidence) ignored() *sessionevents.Promise {
	for i := range d.l.Promises {
		p := &d.l.Promises[i]
		if p.Source == sessionevents.PromiseTask && p.Status == sessionevents.TodoPending && d.l.Delegated.Turn < p.Turn && p.Turn < d.t.Turn && p.Turn >= d.l.ListedAt && d.testFile(p.Text) == "" {
			return p
		}
	}
	return nil
}
