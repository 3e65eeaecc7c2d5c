package featurecreep

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// writings are what edits add.
type writings struct{ *turn }

// find returns the features that applied DIFFs add.
func (w *writings) find() []feature {
	removed := removedText(w.Turn)
	var out []feature
	for i := range w.Turn.Segments {
		segment := &w.Turn.Segments[i]
		kinds := w.judging(segment)
		if len(kinds) == 0 {
			continue
		}
		added := segment.Diff.Added()
		likely := w.likely(added)
		offset := 0
		for _, line := range added {
			for _, k := range kinds {
				f, ok := w.writing(k, line.Text, likely)
				if ok && !strings.Contains(removed, f.name) && (len(k.files) == 0 || !imported(w.Turn, f.name)) {
					f.evidence = detect.At(segment, offset, len(line.Text))
					out = append(out, f)
				}
			}
			offset += len(line.Text) + 1
		}
	}
	return out
}

// likely returns the patterns that match some of the lines, by index. All patterns are
// matched at once, since hardly any edit contains a feature.
func (w *writings) likely(lines []sessionevents.Line) map[int]bool {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(line.Text)
		text.WriteByte('\n')
	}
	out := map[int]bool{}
	for _, place := range w.written.Find(text.String()) {
		out[place] = true
	}
	return out
}

// judging returns the kinds to search for in a segment's added lines.
func (w *writings) judging(s *sessionevents.Segment) (out []*kind) {
	if !detect.Applied(s) {
		return nil
	}
	created := s.Diff.Op == sessionevents.DiffCreate
	if created && len(w.Before.Reads(s.Path)) > 0 || s.Diff.Op == sessionevents.DiffDelete ||
		s.Diff.Op == sessionevents.DiffRename {
		return nil // rewritten or moved, so its old lines would look added
	}
	base, ignored := path.Base(s.Path), w.ignored(s.Path)
	for i := range w.kinds {
		k := &w.kinds[i]
		if created && !k.newFiles || len(k.files) == 0 && ignored || len(k.files) > 0 && !slices.Contains(k.files, base) {
			continue
		}
		out = append(out, k)
	}
	return out
}

// noFeatures are kinds of files that contain no features of the product (JD-50).
const noFeatures = files.AnyTest | files.Document | files.Configuration | files.Lock | files.Vendored |
	files.Generated | files.Example | files.Data | files.Aside

// ignored reports whether a file contains no features: tests, scripts, data.
func (d *instance) ignored(file string) bool { return d.files.Is(file, noFeatures) }

// imported reports whether the turn's code imports a dependency of this name, which is
// then required.
func imported(t *sessionevents.TurnSegmented, name string) bool {
	for i := range t.Segments {
		if slices.ContainsFunc(t.Segments[i].Imports, func(module string) bool { return strings.Contains(module, name) }) {
			return true
		}
	}
	return false
}

// removedText returns what the turn removes: a name in it was moved or changed.
func removedText(t *sessionevents.TurnSegmented) string {
	var b strings.Builder
	for i := range t.Segments {
		for _, line := range t.Segments[i].Diff.Removed() {
			b.WriteString(line.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// parameter matches a part of an endpoint's path that stands for a value.
var parameter = pattern.Must(`[:*][A-Za-z_]\w*|\{[^{}]*\}|<[^<>]*>|\[[^\[\]]*\]|\$\w+`)

// writing judges one added line by the patterns that are likely.
func (w *writings) writing(k *kind, line string, likely map[int]bool) (feature, bool) {
	for _, form := range k.patterns {
		if !likely[form.place] {
			continue
		}
		match := form.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		name := match[form.SubexpIndex("name")]
		stems := w.about(k, name)
		others := len(stems) > 0 && w.scope.namesOthers(k, line)
		method := form.SubexpIndex("method")
		another := method >= 0 && w.scope.namesMethods(k, name, match[method])
		if another {
			name = strings.ToUpper(match[method]) + " " + name
		}
		if len(stems) == 0 || w.scope.isOpen() || w.asks(stems) && !another || asksKind(k, w.scope) && !others ||
			len(k.files) > 0 && slices.Contains(w.NotDependencies, name) {
			return feature{}, false
		}
		return feature{
			name: name, stems: stems, subclass: "written", confidence: w.Confidence.Written, logOnly: k.logOnly, unheard: others,
			message: fmt.Sprintf("The edit adds the %s %s, which was not asked for; leave it out or ask first.", k.id, name),
			reason:  fmt.Sprintf("The added line defines the %s %s, which no user message asks for.", k.id, name),
		}, true
	}
	return feature{}, false
}

// about returns the stems of a name in code: "/users/:id" is about users. An option of common words alone,
// "all", is about itself, where no message has it.
func (w *writings) about(k *kind, name string) []string {
	bare := parameter.ReplaceAllString(name, "")
	stems := prose.Terms(bare)
	if bare = strings.Trim(bare, "-"); len(stems) > 0 || k.id != "flag" || bare == "" {
		return stems
	}
	if slices.ContainsFunc(w.scope.texts, func(text string) bool { return strings.Contains(strings.ToLower(text), bare) }) {
		return nil
	}
	return []string{bare}
}

// asksKind reports whether the user's text asks for a thing of the kind; mentioning one
// in a bug report is not a request.
func asksKind(k *kind, s *scope) bool {
	if k.requests && s.whole() {
		return slices.ContainsFunc(k.askedBy, s.requested)
	}
	for word := range k.asked {
		if s.holds(word) {
			return true
		}
	}
	return false
}

// namesMethods reports whether the user orders an endpoint by its path with other methods only: "GET
// /animals/:chip" asks for no DELETE.
func (s *scope) namesMethods(k *kind, path, method string) bool {
	if k.literal == nil || method == "" || !s.whole() {
		return false
	}
	named := false
	for _, text := range s.texts {
		for _, literal := range k.literal.FindAllString(text, -1) {
			verb, of, _ := strings.Cut(strings.TrimSpace(literal), " ")
			if strings.TrimRight(of, ".") != path {
				continue
			}
			if strings.EqualFold(verb, method) {
				return false
			}
			named = true
		}
	}
	return named
}

// namesOthers reports whether the user orders things of the kind by name, "add a --since
// option", "POST /loans lends a book": this is not a general request for more of the
// kind.
func (s *scope) namesOthers(k *kind, line string) bool {
	if k.literal == nil || !s.whole() {
		return false
	}
	ordered := false
	for _, text := range s.texts {
		for _, sentence := range prose.Sentences(text) {
			if d := s.detector; d.Reports.MatchString(sentence.Text) && !d.Requests.MatchString(sentence.Text) {
				continue
			}
			found := k.literal.FindAllString(sentence.Text, -1)
			if len(found) == 0 && k.several != nil && k.several.MatchString(sentence.Text) {
				return false // "and the other options that make sense"
			}
			for _, literal := range found {
				if strings.Contains(line, strings.TrimSpace(literal)) {
					return false
				}
				ordered = true
			}
		}
	}
	return ordered
}

// telling reports whether a line names something and is not a comment.
func telling(line string) bool {
	line = strings.TrimSpace(line)
	comment := slices.ContainsFunc([]string{"//", "#", "/*", "*", "--", "<!--", "\"\"\""}, func(mark string) bool { return strings.HasPrefix(line, mark) })
	return !comment && named.MatchString(line)
}

// named matches what distinguishes a line of code or prose from others.
var named = pattern.Must(`\pL[\pL\pN_]{2,}`)

// verb returns what an edit did to its file.
func verb(s *sessionevents.Segment) string {
	switch {
	case s.Diff.Failed:
		return "tries to edit "
	case s.Diff.Op == sessionevents.DiffCreate:
		return "writes "
	}
	return "edits "
}

// excerptWords is the number of words up to which a message quotes a question in full.
const excerptWords = 12
