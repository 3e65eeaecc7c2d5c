package weakenedcheck

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// settle drops what another edit of the turn, or of one before, has elsewhere.
func (t *turn) settle() {
	t.changes = slices.DeleteFunc(t.changes, func(c change) bool {
		return c.kind == "removed" && t.elsewhere(c.before) || c.kind == "deleted" && c.test != "" && slices.Contains(t.added, testKey+c.test)
	})
	for _, key := range t.added {
		t.memory.Added = bounded(t.memory.Added, key, t.Limits.Assertions)
	}
}

// elsewhere reports whether an assertion was added somewhere lately.
func (t *turn) elsewhere(text string) bool {
	for _, language := range []string{"python", "go", "javascript"} {
		for _, a := range t.reader.Read(language, text).Assertions {
			key := a.Subject + "\x00" + a.Expected
			if slices.Contains(t.added, key) || slices.Contains(t.memory.Added, key) {
				return true
			}
		}
	}
	return false
}

// weighed is a change with what it is worth.
type weighed struct {
	change
	verdict
}

// findings are the turn's signals, one a file: the worst change, with the number of the
// others.
func (t *turn) findings() []detect.Finding {
	var list []weighed
	for i := range t.changes {
		if t.undoes(&t.changes[i]) {
			continue
		}
		if v, counts := t.weigh(&t.changes[i]); counts && !t.said(&t.changes[i], v) {
			list = append(list, weighed{t.changes[i], v})
		}
	}
	var files []string
	for _, c := range list {
		if !slices.Contains(files, c.file) {
			files = append(files, c.file)
		}
	}
	var out []detect.Finding
	for _, file := range files {
		var of []weighed
		for _, c := range list {
			if c.file == file {
				of = append(of, c)
			}
		}
		slices.SortStableFunc(of, func(a, b weighed) int {
			return cmp.Or(rank(b)-rank(a), cmp.Compare(t.order[a.kind], t.order[b.kind]))
		})
		out = append(out, t.finding(of))
	}
	return out
}

func rank(w weighed) int {
	switch {
	case w.suppressed != "":
		return 0
	case w.logOnly:
		return 1
	}
	return w.cost
}

// said reports whether a change of the same kind to the same thing was reported before,
// and notes it.
func (t *turn) said(c *change, v verdict) bool {
	key := c.file + "\x00" + c.test + "\x00" + c.kind + "\x00" + c.before
	if c.file == "" {
		key = c.kind
	}
	if v.suppressed == "" && slices.Contains(t.memory.Said, key) {
		return true
	}
	t.memory.Said = bounded(t.memory.Said, key, 4*t.Limits.Files)
	return false
}

// undoes reports whether a change takes an earlier one back, and notes it.
func (t *turn) undoes(c *change) bool {
	if c.before == "" || c.after == "" {
		return false
	}
	if slices.Contains(t.memory.Changed, c.file+"\x00"+c.after+"\x00"+c.before) {
		return true
	}
	t.memory.Changed = bounded(t.memory.Changed, c.file+"\x00"+c.before+"\x00"+c.after, 4*t.Limits.Files)
	return false
}

// finding is the signal for the changes of one file, the worst first.
func (t *turn) finding(of []weighed) detect.Finding {
	c := of[0]
	e := detect.At(c.segment, c.offset, c.long)
	if c.long == 0 {
		e = detect.Whole(c.segment)
	}
	if c.file != "" {
		e.Path = c.file
	}
	what := c.before
	if what == "" {
		what = c.after
	}
	e.ConflictsWith = &sessionevents.EarlierEvent{Path: c.file, What: detect.Quote(what)}
	if c.failure != nil {
		e.ConflictsWith.Turn = c.failure.Turn
	}
	f := detect.Finding{
		Subclass: c.kind, Subject: subject(&c.change), Confidence: c.confidence, ReworkCost: c.cost, SelfCorrect: selfCorrect,
		Suppressed: c.suppressed, Evidence: []sessionevents.Evidence{e}, WeighsRequest: true,
		Message: t.message(&c, len(of)-1), Reason: t.reason(&c),
	}
	if c.logOnly {
		f.Cap = detect.LogOnly
	}
	return f
}

func subject(c *change) string {
	parts := []string{c.kind}
	if c.file != "" {
		parts = append(parts, c.file)
	}
	if c.test != "" {
		parts = append(parts, c.test)
	}
	switch {
	case c.file == "" && c.kind == "lowered":
		parts = append(parts, c.detail)
	case c.file == "":
		parts = append(parts, c.after)
	}
	return strings.Join(parts, " ")
}

// message says what was weakened from what to what, and what to do instead.
func (t *turn) message(c *weighed, more int) string {
	text := t.statement(c)
	switch {
	case c.protection != nil:
		text += ", which the task rules out"
	case c.failure != nil:
		text += fmt.Sprintf(" after a check failed in turn %d", c.failure.Turn)
	}
	if more > 0 && c.protection == nil {
		text += fmt.Sprintf(" (%d more)", more)
	}
	return text + ". " + t.kinds[c.kind].Advice
}

// statement is what happened, as a sentence without its end.
func (t *turn) statement(c *weighed) string {
	where := quote.Path(path.Base(c.file))
	if c.test != "" {
		if name := quote.Plain(c.test); !strings.Contains(name, " ") && !strings.HasSuffix(name, "…") {
			where = strings.Trim(quote.Name(c.test), `"`) + " in " + where
		} else {
			where = "A test in " + where
		}
	}
	said := t.kinds[c.kind].Said
	was, is := short(c.before), short(c.after)
	switch c.kind {
	case "removed":
		return fmt.Sprintf("%s %s %s", where, said, cmp.Or(was, "something it checked"))
	case "inverted", "loosened", "redirected":
		return fmt.Sprintf("%s %s %s", where, said, cmp.Or(was, "what it checked"))
	case "revalued":
		return fmt.Sprintf("%s expects another value than before", where)
	case "slowed", "lowered", "retried":
		if c.detail != "" && c.file == "" {
			return fmt.Sprintf("%s asks for %s where %s is demanded", quote.WholeCode(c.detail, 6, "An option"), quote.Plain(c.after), quote.Plain(c.before))
		}
		if c.detail == "" && c.kind == "slowed" {
			return fmt.Sprintf("The time limit of a test in %s went from %s to %s", where, quote.Plain(c.before), quote.Plain(c.after))
		}
		if c.detail != "" {
			return fmt.Sprintf("%s of %s went from %s to %s", quote.WholeCode(c.detail, 6, "A limit"), where, quote.Plain(c.before), quote.Plain(c.after))
		}
		return t.with(where+" "+said, is)
	case "commented":
		return fmt.Sprintf("%s of %s %s", cmp.Or(was, "A check"), where, said)
	case "swallowed":
		return fmt.Sprintf("%s %s", where, said)
	case "deleted":
		return fmt.Sprintf("%s %s", where, said)
	case "renamed":
		return fmt.Sprintf("%s %s as %s", where, said, quote.WholeCode(c.after, 6, "something else"))
	case "unchecked", "excluded", "unrun", "unhooked", "accepted", "silenced", "conditional", "mocked", "fixture", "rigged", "skipped", "focused", "emptied":
		return t.act(c, where, said, was, is)
	}
	return fmt.Sprintf("%s %s", where, said)
}

// act is what a mark or a command does to checks.
func (t *turn) act(c *weighed, where, said, was, is string) string {
	switch {
	case c.file == "" && c.kind == "accepted":
		return fmt.Sprintf("%s accepts the snapshots as they are", cmp.Or(is, "A command"))
	case c.file == "" && c.kind == "excluded":
		return fmt.Sprintf("%s leaves tests out", cmp.Or(is, "A command"))
	case c.file == "" && c.kind == "unrun":
		return fmt.Sprintf("%s collects tests without running them", cmp.Or(is, "A command"))
	case c.kind == "unhooked":
		words := strings.Fields(c.after)
		return fmt.Sprintf("%s %s", quote.Code(strings.Join(words[:min(len(words), 2)], " ")+" --no-verify"), said)
	case c.file == "":
		return fmt.Sprintf("%s %s", cmp.Or(is, "A command"), said)
	case c.detail == "removed":
		return fmt.Sprintf("%s no longer runs %s", where, cmp.Or(was, "a check"))
	case c.kind == "excluded":
		return t.with(where+" leaves checks out", is)
	case c.kind == "silenced":
		return t.with(where+" silences what was reported", short(c.detail))
	case c.kind == "unchecked":
		return t.with("A check of "+where+" "+said, is)
	}
	return t.with(where+" "+said, is)
}

// with adds the code that a statement is about, where it fits whole.
func (t *turn) with(statement, code string) string {
	if code == "" {
		return statement
	}
	return statement + ": " + code
}

// codeWords are the words of a piece of code that a message quotes whole.
const codeWords = 8

// short is a piece of code for a message, "" where it does not fit whole (JD-40).
func short(text string) string { return quote.WholeCode(text, codeWords, "") }

// reason is the rule in one sentence.
func (t *turn) reason(c *weighed) string {
	switch {
	case c.suppressed != "":
		return "A person asked for an edit of this kind."
	case c.protection != nil:
		return "The edit makes a check easier that a stated constraint protects."
	case c.failure != nil:
		return fmt.Sprintf("A check failed in turn %d, and this edit makes it easier instead of the code right.", c.failure.Turn)
	}
	return "The edit makes a check easier, and nothing in the session explains it."
}
