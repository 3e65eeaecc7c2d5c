package ledger

import (
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxEdited bounds the words of edits kept in a ledger, maxEditedWord their bytes: no claim names a longer one.
const (
	maxEdited     = 512
	maxEditedWord = 64
)

// Edited is a word of the lines that the latest edit with it added ("+"), removed ("-") or both ("="): the side,
// then the word.
type Edited string

func (e Edited) side() string { return string(e[:min(1, len(e))]) }
func (e Edited) word() string { return string(e[min(1, len(e)):]) }

// edited records the words of the lines that an edit adds or removes: they show a claim about that edit.
func (d changeReader) edited(s *sessionevents.Segment) {
	if s.Kind != sessionevents.SegmentDiff || s.Diff == nil || s.Diff.Failed {
		return
	}
	var list []Edited
	at := map[string]int{}
	note := func(lines []sessionevents.Line, side string) {
		for _, l := range lines {
			for _, w := range wordsOf(l.Text) {
				i, known := at[w]
				switch {
				case len(w) > maxEditedWord:
				case !known:
					at[w] = len(list)
					list = append(list, Edited(side+w))
				case list[i].side() != side:
					list[i] = Edited("=" + w)
				}
			}
		}
	}
	note(s.Diff.Removed(), "-")
	note(s.Diff.Added(), "+")
	if len(list) == 0 {
		return
	}
	old := slices.DeleteFunc(slices.Clone(d.l.Edited), func(e Edited) bool {
		i, again := at[e.word()]
		if again && list[i].side() == "=" {
			list[i] = e // a changed line that had it and has it tells nothing new
		}
		return again
	})
	d.l.Edited = text.Newest(append(old, list...), maxEdited)
}

// wordsOf returns the identifiers and numbers of a line of code.
func wordsOf(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// edit judges a claim that code was added, removed or changed by the edits themselves: a check that passes does
// not show them. It reports whether it decided.
func (j workJudge) edit(c claimView) bool {
	verb := j.c.Edits.FindStringIndex(c.Text)
	if verb == nil {
		return false
	}
	said := j.c.EditPlaces.ReplaceAllString(c.Text[verb[0]:], "")
	spans := strings.Split(said, "`")
	var shown []string
	for i, span := range spans {
		words := wordsOf(span)
		side := j.c.sideOf(strings.Join(spans[:i], "`"))
		if i%2 == 0 || len(words) == 0 || slices.Contains(c.scope.Files, span) || side == "" {
			continue
		}
		if slices.ContainsFunc(words, func(w string) bool { return !j.l.hasEdited(w, side) }) {
			return false
		}
		shown = append(shown, span)
	}
	if len(shown) == 0 {
		return false
	}
	c.lacks(sessionevents.Proven, "", "An edit of the session has `%s` in its changed lines.", strings.Join(shown, "`, `"))
	return true
}

// sideOf returns the side of an edit that the last verb before a code span speaks of, "=" for either, "" without a
// verb: the span is a label.
func (c *Config) sideOf(before string) string {
	side, last := "", -1
	for _, v := range c.EditVerbs {
		if all := v.Words.FindAllStringIndex(before, -1); len(all) > 0 && all[len(all)-1][0] > last {
			side, last = v.Side, all[len(all)-1][0]
		}
	}
	return side
}

// hasEdited reports whether an edit has a word on a side.
func (l *Ledger) hasEdited(word, side string) bool {
	return slices.ContainsFunc(l.Edited, func(e Edited) bool { return e.word() == word && (side == "=" || e.side() == side) })
}
