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

// account makes a turn's signals of its changes.
type account struct {
	*turn
	scales *scales
}

// settle drops what another edit of the turn, or of one before, has elsewhere.
func (j *account) settle() {
	j.changes = slices.DeleteFunc(j.changes, func(c change) bool {
		return c.kind == "removed" && j.elsewhere(c.before) || c.kind == "deleted" && c.test != "" && slices.Contains(j.added, testKey+c.test)
	})
	for _, key := range j.added {
		j.memory.Added = detect.Once(j.memory.Added, key, j.Limits.Assertions)
	}
}

// elsewhere reports whether an assertion was added somewhere lately.
func (j *account) elsewhere(text string) bool {
	for _, language := range []string{"python", "go", "javascript"} {
		for _, a := range j.read(language, text).Assertions {
			key := a.Subject + "\x00" + a.Expected
			if slices.Contains(j.added, key) || slices.Contains(j.memory.Added, key) {
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
func (j *account) findings() []detect.Finding {
	var list []weighed
	for i := range j.changes {
		if j.undoes(&j.changes[i]) {
			continue
		}
		if v, counts := j.scales.weigh(&j.changes[i]); counts && !j.said(&j.changes[i], v) {
			list = append(list, weighed{j.changes[i], v})
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
			return cmp.Or(rank(b)-rank(a), cmp.Compare(j.order[a.kind], j.order[b.kind]))
		})
		out = append(out, j.finding(of))
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
func (j *account) said(c *change, v verdict) bool {
	key := c.file + "\x00" + c.test + "\x00" + c.kind + "\x00" + c.before
	if c.file == "" {
		key = c.kind
	}
	if v.suppressed == "" && slices.Contains(j.memory.Said, key) {
		return true
	}
	j.memory.Said = detect.Once(j.memory.Said, key, 4*j.Limits.Files)
	return false
}

// undoes reports whether a change takes an earlier one back, and notes it.
func (j *account) undoes(c *change) bool {
	if c.before == "" || c.after == "" {
		return false
	}
	if slices.Contains(j.memory.Changed, c.file+"\x00"+c.after+"\x00"+c.before) {
		return true
	}
	j.memory.Changed = detect.Once(j.memory.Changed, c.file+"\x00"+c.before+"\x00"+c.after, 4*j.Limits.Files)
	return false
}

// finding is the signal for the changes of one file, the worst first.
func (j *account) finding(of []weighed) detect.Finding {
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
		Message: j.message(&c, len(of)-1), Reason: c.reason(),
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
func (j *account) message(c *weighed, more int) string {
	text := j.statement(c)
	switch {
	case c.protection != nil:
		text += ", which the task rules out"
	case c.failure != nil:
		text += fmt.Sprintf(" after a check failed in turn %d", c.failure.Turn)
	}
	if more > 0 && c.protection == nil {
		text += fmt.Sprintf(" (%d more)", more)
	}
	if c.isStep() {
		return text + ". Put the step back, or say why it goes."
	}
	return text + ". " + j.kinds[c.kind].Advice
}

// isStep reports whether a command of a test script is gone, which need not check anything itself.
func (c *weighed) isStep() bool {
	return c.kind == "removed" && c.test == "" && languageOf(c.file) == "shell"
}

// statement is what happened, as a sentence without its end.
func (j *account) statement(c *weighed) string {
	where := quote.Path(path.Base(c.file))
	if c.test != "" {
		if name := quote.Plain(c.test); !strings.Contains(name, " ") && !strings.HasSuffix(name, "…") {
			where = strings.Trim(quote.Name(c.test), `"`) + " in " + where
		} else {
			where = "A test in " + where
		}
	}
	said := j.kinds[c.kind].Said
	was, is := short(c.before), short(c.after)
	if c.isStep() {
		said = "no longer runs"
	}
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
		return with(where+" "+said, is)
	case "commented":
		return fmt.Sprintf("%s of %s %s", cmp.Or(was, "A check"), where, said)
	case "swallowed":
		return fmt.Sprintf("%s %s", where, said)
	case "deleted":
		return fmt.Sprintf("%s %s", where, said)
	case "renamed":
		return fmt.Sprintf("%s %s as %s", where, said, quote.WholeCode(c.after, 6, "something else"))
	case "unchecked", "excluded", "unrun", "unhooked", "accepted", "silenced", "conditional", "mocked", "fixture", "rigged", "skipped", "focused", "emptied":
		return c.act(where, said, was, is)
	}
	return fmt.Sprintf("%s %s", where, said)
}

// act is what a mark or a command does to checks.
func (c *weighed) act(where, said, was, is string) string {
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
		return with(where+" leaves checks out", is)
	case c.kind == "silenced":
		return with(where+" silences what was reported", short(c.detail))
	case c.kind == "unchecked":
		return with("A check of "+where+" "+said, is)
	}
	return with(where+" "+said, is)
}

// with adds the code that a statement is about, where it fits whole.
func with(statement, code string) string {
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
func (c *weighed) reason() string {
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
