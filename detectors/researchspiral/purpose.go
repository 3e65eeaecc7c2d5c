package researchspiral

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// purpose returns the purpose of a run: "" if none is visible, which makes it a spiral.
// It returns false if the task itself is to find something out.
func (d *instance) purpose(m *memory, p *detect.Pass) (why string, ok bool) {
	r := &m.Run
	studies, builds := d.task(p.Baseline())
	switch {
	case p.Turn.Agent.ParentSession != "" && d.Explorers.MatchString(p.Turn.Agent.Archetype):
		return "", false // its parent sent it to read (SW-1)
	case studies && !builds:
		return "", false
	case !p.Baseline().Known:
		why = "the task is not known"
	case studies:
		why = studyFirst
	case r.AfterError && r.Turns <= d.ErrorTurns:
		why = "it follows a failure"
	case m.Intent > 0 && !m.Lapsed && m.Intent >= r.From-1 && p.Turn.Turn-m.Intent < d.IntentTurns:
		why = namedCause
	case r.Calls > 0 && float64(r.Linked) >= d.FocusShare*linked*float64(r.Calls):
		why = "each step follows from the task or the one before"
	}
	return why, true
}

// task reports whether the newest request asks for an answer, and whether it asks to
// build something. A remark does neither and leaves the earlier request in effect.
func (d *instance) task(b *registry.Baseline) (studies, builds bool) {
	for i := len(b.Requests) - 1; i >= 0; i-- {
		text := b.Requests[i].Text
		words := len(strings.Fields(text))
		if words < minRequest && i > 0 {
			continue
		}
		studies, builds = d.asksFor(text)
		if studies || builds || words > d.RemarkWords {
			return studies, builds
		}
	}
	if len(b.Requests) == 0 || !studies && !builds {
		return d.asksFor(b.Task)
	}
	return studies, builds
}

func (d *instance) asksFor(text string) (studies, builds bool) {
	text = d.Reports.ReplaceAllString(text, " ")
	if d.Builds.MatchString(text) {
		return d.Orders.MatchString(text), true
	}
	return d.Studies.MatchString(text) || d.Questions.MatchString(text), false
}

// namedCause is the excuse of a run that ended in a stated cause.
const namedCause = "a cause or the change to make was named"

// studyFirst is the excuse of a run that is part of the task.
const studyFirst = "the task asks to look into it first"

// minRequest is the number of words a message needs to change the task: "Do it." and
// "yes" continue the previous one.
const minRequest = 4

// noteIntent records the turn in which the agent last stated a cause or a change, in
// words or as code.
func (d *instance) noteIntent(m *memory, p *detect.Pass) {
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; s.Kind == sessionevents.SegmentDiff && s.Proposed {
			m.Intent = p.Turn.Turn
			return
		}
	}
	for _, s := range p.Additions.Sentences {
		if !d.stated.MatchString(s.Text) || !d.Causes.MatchString(s.Text) && !d.namesChange(s.Text) {
			continue
		}
		stems := d.causeOf(s.Text)
		if slices.ContainsFunc(m.Causes, func(c cause) bool { return c.Turn < p.Turn.Turn && d.sameCause(c.Stems, stems) }) {
			m.Lapsed = true // stated again, without an attempt in between
			continue
		}
		m.Intent, m.Lapsed = p.Turn.Turn, false
		m.Causes = text.Newest(append(m.Causes, cause{p.Turn.Turn, stems}), d.CausesKept)
	}
}

// causeOf returns the words of a stated cause or change, without general ones.
func (d *instance) causeOf(sentence string) []string {
	return slices.DeleteFunc(prose.Terms(sentence), func(w string) bool { return d.general[w] })
}

// sameCause compares relative to the shorter one, since a repetition is often shorter.
func (d *instance) sameCause(a, b []string) bool {
	shared := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			shared++
		}
	}
	least := min(len(a), len(b))
	return least >= leastCause && float64(shared) >= d.SameCause*float64(least)
}

// leastCause is the number of words a cause needs to be recognized by them.
const leastCause = 3

// namesChange reports whether a sentence states a change and names the code it changes.
func (d *instance) namesChange(said string) bool {
	for _, at := range d.Changes.FindAllStringIndex(said, -1) {
		from := strings.LastIndexByte(said[:at[0]], '\n') + 1
		to := len(said)
		if end := strings.IndexByte(said[at[1]:], '\n'); end >= 0 {
			to = at[1] + end
		}
		if d.Names.MatchString(said[from:to]) {
			return true
		}
	}
	return false
}

// Minimum lengths in bytes of names that distinguish things; numbers are ids of commits,
// runs and issues.
const (
	minName   = 3
	minNumber = 4
)

// eachName yields the names of code in a text. sure reports whether a name can only be a
// reference: a file, a qualified name or an identifier of several words rather than a
// plain word.
func eachName(text string, yield func(name string, sure bool)) {
	for at := 0; at < len(text); at++ {
		from := at
		for at < len(text) && nameByte[text[at]] {
			at++
		}
		if at-from < minName {
			continue
		}
		token := strings.Trim(text[from:at], "./-")
		folder := strings.LastIndexByte(token, '/')
		rest := token[folder+1:]
		for first := true; rest != ""; first = false {
			part, more, dotted := strings.Cut(rest, ".")
			rest = more
			number := part != "" && part[0] >= '0' && part[0] <= '9'
			switch {
			case number && len(part) >= minNumber:
				yield(part, true)
			case !number && len(part) >= minName:
				yield(part, first && (folder >= 0 || dotted) || identifier(part))
			}
		}
	}
}

// nameByte marks the bytes of names and paths.
var nameByte = func() (table [256]bool) {
	for i := range table {
		c := byte(i)
		table[i] = c == '_' || c == '.' || c == '/' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return table
}()

// identifier reports whether a word has the form of a name of several words.
func identifier(word string) bool {
	for i := 1; i < len(word); i++ {
		if word[i] == '_' || word[i] >= 'A' && word[i] <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z' {
			return true
		}
	}
	return false
}
