// Package weakcrypto finds weak cryptography in the code that an agent writes (B3).
//
// The patterns are rules of codepattern, one file per language; this package infers from
// the names around a match whether it protects something: a password, a token, a session,
// a signature, a cookie, a key.
package weakcrypto

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

//go:embed doc.md
var doc string

// Detector is the B3 detector.
var Detector = &detect.Detector{
	ID: "B3", Name: "weakcrypto", Class: sessionevents.ClassB,
	Title: "Weak cryptography",
	Doc:   doc, Rules: []string{"B3", "SW-4", "SW-40", "SW-44"},
	New: newInstance,
}

// NewState returns the session's memory.
func (d *instance) NewState() any { return &memory{} }

// Run reports one finding for each weak line that is new in its file.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	var findings []detect.Finding
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !detect.Written(s) || d.SkippedFiles.MatchString(s.Path) {
			continue
		}
		found := d.strongest(p, s)
		if len(found) == 0 && len(m.Seen) == 0 {
			continue
		}
		old, text := removed(p.Turn, s), detect.Text(s)
		m.forgetGone(s, old)
		var keys []detect.Place
		numbers := detect.Numbers{}
		for _, f := range found {
			line := lineAt(text, f.Evidence[0].Offset)
			key := numbers.Next(seenAt(s.Path, line, f.function))
			if !old[squeezed(line)] {
				if !m.Seen.Know(key) {
					findings = append(findings, f.Finding)
				}
				keys = append(keys, key)
			}
		}
		m.Seen.Add(keys, d.Remembered)
	}
	if unsaid := len(findings) - d.PerTurn; unsaid > 0 {
		findings = findings[:d.PerTurn]
		findings[d.PerTurn-1].Reason += fmt.Sprintf(" The turn holds %d more.", unsaid)
	}
	return findings
}

// located is a finding with the enclosing function, "" if the edit does not show it.
type located struct {
	detect.Finding
	function string
}

// strongest returns a segment's findings, the most urgent one for each line.
func (d *instance) strongest(p *detect.Pass, s *sessionevents.Segment) []located {
	var out []located
	matches, unread := d.engine.Read(p.Reader, s, nil)
	p.Unread(s, unread)
	if len(matches) == 0 {
		return nil
	}
	text := detect.Text(s)
	for i := range matches {
		f, ok := d.finding(s, text, &matches[i])
		if !ok {
			continue
		}
		at := slices.IndexFunc(out, func(o located) bool { return o.Evidence[0].Offset == f.Evidence[0].Offset })
		switch {
		case at < 0:
			out = append(out, located{f, matches[i].Function})
		case detect.Published(&f) > detect.Published(&out[at].Finding):
			out[at] = located{f, matches[i].Function}
		}
	}
	return out
}

// removed returns the lines, squeezed, that the turn removes from the segment's file: if
// they are added again, they only moved.
func removed(t *sessionevents.TurnSegmented, s *sessionevents.Segment) map[string]bool {
	out := map[string]bool{}
	for i := range t.Segments {
		other := &t.Segments[i]
		if !detect.Applied(other) || other.Path != s.Path {
			continue
		}
		for _, line := range other.Diff.Removed() {
			out[squeezed(line.Text)] = true
		}
	}
	return out
}

// lineAt returns the line of text at an offset.
func lineAt(text string, offset int) string {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}

// scene returns the context of a match.
func (d *instance) scene(s *sessionevents.Segment, text string, m *codepattern.Match) *scene {
	out := &scene{
		kind: m.Rule.Labels["kind"], call: m.Callee[strings.LastIndexByte(m.Callee, '.')+1:], function: m.Function, path: s.Path, imports: used(m),
		statement: about(m.Statement, lineAt(text, m.Offset), d.StatementLines), comments: strings.Join(m.Comments, "\n"),
	}
	if which := d.Kinds[out.kind].Related; which != "" {
		out.statement = related(m.Statement, m.FunctionText, d.Reach, which == "assignments")
	}
	return out
}

// used returns the imports that the match's function uses, by their last parts.
func used(m *codepattern.Match) []string {
	var out []string
	for _, module := range m.Imports {
		parts := strings.FieldsFunc(module, func(r rune) bool { return strings.ContainsRune("/.:\\;", r) })
		if n := len(parts); n > 0 && hasName(m.FunctionText, parts[n-1]) {
			out = append(out, strings.Join(parts[max(0, n-2):], "."))
		}
	}
	return out
}

// about returns a statement or, if it has more lines than limit, the lines around the
// weak one.
func about(statement, weak string, limit int) string {
	lines := strings.Split(statement, "\n")
	if len(lines) <= limit {
		return statement
	}
	at := max(0, slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, strings.TrimSpace(weak)) }))
	start := max(0, at-limit/2)
	return strings.Join(lines[start:min(len(lines), start+limit)], "\n")
}

// Judge reports a signal as corrected if the weak line is removed from its file, or the
// file is deleted or rewritten without it; as committed if a later edit of the file keeps
// it; and otherwise as open (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 {
		return sessionevents.OutcomeOpen, "nothing to look for"
	}
	first, _, _ := strings.Cut(s.Evidence[0].Quote, "\n")
	weak := squeezed(strings.TrimSuffix(first, "…"))
	if weak == "" {
		return sessionevents.OutcomeOpen, "nothing to look for"
	}
	lines := detect.Lines{
		Path: s.Evidence[0].Path, Removed: "the weak line was removed", Rewritten: "the file was rewritten without it",
		In: func(list []sessionevents.Line) bool {
			return slices.ContainsFunc(list, func(l sessionevents.Line) bool { return strings.Contains(squeezed(l.Text), weak) })
		},
	}
	return lines.Outcome(p)
}

// memory is B3's state of a session: the weak lines it has reported, so that rewriting a
// file does not report them again. It is bounded by the rule data.
type memory struct {
	// Seen are "line/function/number", oldest first: 8 hex digits each for file and line,
	// and for the enclosing function, "-" if the edit does not show it, and the number
	// among equal lines.
	Seen detect.Places `json:"s,omitempty"`
}

// seenAt identifies a weak line within its function.
func seenAt(file, line, function string) detect.Place {
	if function == "" {
		return detect.Place{Key: keyOf(file, line), Function: "-"}
	}
	return detect.Place{Key: keyOf(file, line), Function: keyOfSqueezed("", function)}
}

// keyOf identifies a line of a file. Only the file's name counts, because a path may be
// relative to the workspace or to the root.
func keyOf(file, line string) string {
	return keyOfSqueezed(file, squeezed(line))
}

func keyOfSqueezed(file, line string) string {
	sum := xxhash.Sum64String(path.Base(file) + "\x00" + line)
	return strconv.FormatUint(sum>>32|1<<32, 16)[1:]
}

// squeezed returns a line without white space, so that moving or reindenting does not change it.
func squeezed(line string) string {
	return strings.Join(strings.Fields(line), "")
}

// forgetGone drops the lines that a segment removes from its file without adding them
// again: if they are added later, they are new.
func (m *memory) forgetGone(s *sessionevents.Segment, removed map[string]bool) {
	if len(m.Seen) == 0 || len(removed) == 0 {
		return
	}
	back := map[string]bool{}
	for _, line := range s.Diff.Added() {
		back[squeezed(line.Text)] = true
	}
	gone := map[string]bool{}
	for line := range removed {
		if !back[line] {
			gone[keyOfSqueezed(s.Path, line)] = true
		}
	}
	m.Seen.Forget(gone)
}
