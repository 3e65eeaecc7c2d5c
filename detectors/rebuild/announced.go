package rebuild

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// announcer finds what the plan announces to build although it stands.
type announcer struct {
	*data
	announcements *prose.Phrases
}

// announced returns the things built by this session that PLAN announces to build (RF01)
// or redo.
func (d *announcer) announced(t *turn, found []again) []again {
	if t.Before.Counters.Diffs == 0 {
		return nil
	}
	var out []again
	for i := range t.Additions.Sentences {
		s := &t.Additions.Sentences[i]
		if !d.mayAnnounce(s.Text) {
			continue
		}
		document := prose.Parse(s.Text)
		for _, match := range d.announcements.Find(document) {
			object := match.Groups["object"]
			text := document.Text[object.From:object.To]
			name := d.object(text)
			if match.ID == "replace" && slices.ContainsFunc(strings.Fields(text), func(w string) bool { return slices.Contains(d.Swaps, w) }) {
				continue
			}
			if name == "" || strings.HasSuffix(document.Text, "?") {
				continue
			}
			if a := d.standing(t, s, name, match.ID == "build"); a != nil &&
				!slices.ContainsFunc(slices.Concat(found, out), func(b again) bool { return b.subject == a.subject }) {
				out = append(out, *a)
			}
		}
	}
	return out
}

// mayAnnounce is a cheap check for a verb of building and a name, since hardly any
// sentence has both.
func (d *announcer) mayAnnounce(text string) bool {
	return hasName(text) && slices.ContainsFunc(d.AnnounceWords, func(w string) bool { return strings.Contains(text, w) })
}

// hasName reports whether a text may contain a match of nameForm.
func hasName(text string) bool {
	for i := 1; i < len(text); i++ {
		switch c, before := text[i], text[i-1]; {
		case c == '`' || c == '_':
			return true
		case c >= 'A' && c <= 'Z' && (before >= 'a' && before <= 'z' || before >= '0' && before <= '9'):
			return true
		case before == '.' && c >= 'a' && c <= 'z':
			return true
		}
	}
	return strings.HasPrefix(text, "`")
}

// nameForm matches an identifier or file that cannot be an ordinary word.
var nameForm = pattern.Must("^`[\\w$./:-]+(?:\\(\\))?`$|^[\\w$]+(?:_[\\w$]+)+(?:\\(\\))?$|^[A-Za-z$]?[a-z0-9]+(?:[A-Z][a-z0-9]+)+(?:\\(\\))?$|^[\\w./-]+\\.[a-z]{1,4}$")

// object returns the single name that an announcement is about; "" if it is about
// something else.
func (d *announcer) object(text string) string {
	name := ""
	for _, field := range strings.Fields(text) {
		bare := strings.Trim(field, "\"'*,()")
		if strings.HasSuffix(field, "()") {
			bare += "()"
		}
		lower := strings.ToLower(bare)
		switch {
		case nameForm.MatchString(bare):
			if name != "" {
				return "" // more than one thing
			}
			name = strings.TrimSuffix(strings.Trim(bare, "`"), "()")
		case bare == "" || d.ObjectEnds[lower] || bare == "-" || bare == "—":
			return name
		case !d.ObjectWords[lower]:
			return ""
		}
	}
	return name
}

// standing returns the candidate for a name, if this session built it and it still
// exists.
func (d *announcer) standing(t *turn, s *registry.Sentence, name string, build bool) *again {
	earlier := d.builtFile(t, name)
	if earlier == nil {
		earlier = d.builtSymbol(t, name)
	}
	if earlier == nil || t.unseen(earlier.Turn) {
		return nil
	}
	cost, said := costByName, true
	for i := range t.edits {
		e := &t.edits[i]
		if e.path != earlier.Path {
			continue
		}
		if !e.whole && build {
			return nil // it continues with what it built
		}
		said = false
		if e.whole && d.repeats(t, e) {
			cost = costByOverlap
		}
	}
	if build && (t.gone[name] || slices.ContainsFunc(t.edits, func(e edit) bool { return e.appended() && e.path == earlier.Path })) {
		return nil
	}
	segment, where := &t.Turn.Segments[s.Segment], ""
	if name != earlier.What && name != earlier.Path || path.Ext(name) == "" {
		where = " (" + quote.Path(earlier.Path) + ")"
	}
	return &again{
		subject: name, subclass: "announced", cost: cost, said: said,
		confidence: detect.Lexical(d.Confidence.Announced, s.Thinking),
		names:      []string{name, path.Base(earlier.Path)},
		evidence:   detect.At(segment, s.Offset, len(s.Text)),
		earlier:    *earlier,
		message: fmt.Sprintf("%s was built in turn %d%s and still stands; edit it where it needs a change instead of building it again.",
			quote.Name(name), earlier.Turn, where),
		reason: fmt.Sprintf("The plan announces building %s, which turn %d built.", quote.Name(name), earlier.Turn),
	}
}

// builtSymbol returns a symbol of exactly this name that this session built.
func (d *announcer) builtSymbol(t *turn, name string) *sessionevents.EarlierEvent {
	if d.like.ConventionalName(name) {
		return nil
	}
	for _, b := range t.Before.BuiltNamed(name) {
		if b.Symbol.Name == name && b.Gone == 0 && !d.skips(b.Symbol.Path) && substance(t, &b.Symbol) >= d.BodyShingles {
			return &sessionevents.EarlierEvent{Turn: b.Turn, Path: b.Symbol.Path, Line: b.Symbol.Line, What: b.Symbol.Name}
		}
	}
	return nil
}

// substance returns the number of known shingles of a symbol's body, including its
// methods': a Go struct's fields say little about what it does.
func substance(t *turn, s *sessionevents.Symbol) int {
	n := len(s.Shingles)
	for _, b := range t.Before.BuiltIn(s.Path) {
		if b.Gone == 0 && b.Symbol.Container == s.Name {
			n += len(b.Symbol.Shingles)
		}
	}
	return n
}

// builtFile returns a file of this name that this session created.
func (d *announcer) builtFile(t *turn, name string) *sessionevents.EarlierEvent {
	if path.Ext(name) == "" {
		return nil
	}
	for _, f := range t.Before.FilesAlike(name) {
		if !f.Written || d.skips(f.Path) || f.Path != name && !strings.HasSuffix(f.Path, "/"+name) {
			continue
		}
		edits := t.Before.DiffsOf(f.Path)
		if len(edits) > 0 && edits[0].Removed == 0 && edits[0].Added >= d.MinLines && !readBefore(t.Before.Reads(f.Path), edits[0].Turn) {
			return &sessionevents.EarlierEvent{Turn: edits[0].Turn, Path: f.Path, What: path.Base(f.Path)}
		}
	}
	return nil
}

func readBefore(reads []registry.FileRead, turn int) bool {
	return slices.ContainsFunc(reads, func(r registry.FileRead) bool { return r.Turn < turn })
}

// repeats reports whether a rewritten file contains mostly what an earlier DIFF of it
// did.
func (d *announcer) repeats(t *turn, e *edit) bool {
	return slices.ContainsFunc(t.Before.DiffsOf(e.path), func(before registry.DiffRecord) bool {
		shared := similarity.Compare(e.record.Shingles, before.Shingles, t.Before.SketchSizes().Diff)
		return before.Added >= d.MinLines && shared.Contained > d.Overlap && shared.Sample >= d.Sample
	})
}
