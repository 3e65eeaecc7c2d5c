package weakenedcheck

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxCommand bounds a command line that is read.
const maxCommand = 64 << 10

// commanded reads a command line: checks that it leaves out or bypasses, tests that it
// takes away.
func (t *turn) commanded(s *sessionevents.Segment) {
	if s.Tool.Canonical != sessionevents.ToolShell || s.Rejected || s.Kind == sessionevents.SegmentTodo || s.Tool.Command == "" || len(s.Tool.Command) > maxCommand {
		return
	}
	if !strings.Contains(s.Tool.Command, ".replace(") && !t.Checks.MatchString(s.Tool.Command) && !strings.Contains(s.Tool.Command, "git ") && !strings.Contains(s.Tool.Command, "sed ") && !strings.Contains(s.Tool.Command, "mv ") && !strings.Contains(s.Tool.Command, "rm ") {
		return
	}
	if s.Kind == sessionevents.SegmentError && slices.ContainsFunc(t.Turn.Segments, func(o sessionevents.Segment) bool {
		return o.Index < s.Index && o.Tool != nil && o.Tool.CallID == s.Tool.CallID && o.Kind == sessionevents.SegmentTool
	}) {
		return
	}
	for _, i := range t.commands.Invocations(s.Tool.Command) {
		line := strings.Join(append([]string{i.Name}, i.Args...), " ")
		for k := range t.Commands {
			c := &t.Commands[k]
			if !c.Pattern.MatchString(line) || c.Unless != nil && c.Unless.MatchString(line) || c.Kind == "unrun" && t.Looks.MatchString(s.Tool.Command) {
				continue
			}
			t.report(change{kind: c.Kind, after: line, segment: s})
			break
		}
		t.lenient(s, line)
		t.took(s, i.Name, i.Args)
		if strings.HasPrefix(i.Name, "python") || i.Name == "node" || i.Name == "perl" || i.Name == "ruby" {
			t.scripted(s, i.Input+"\n"+strings.Join(i.Args, "\n"))
		}
	}
}

// scripted reads a script that replaces text in one file of checks as the edit that it is.
func (t *turn) scripted(s *sessionevents.Segment, script string) {
	file := ""
	for _, m := range t.Literal.FindAllStringSubmatch(script, -1) {
		if text := m[1] + m[2]; !strings.Contains(text, " ") && t.checksFile(text) {
			file = text
		}
	}
	if file == "" {
		return
	}
	for _, m := range t.Replaced.FindAllStringSubmatch(script, -1) {
		diff := &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: []string{"-" + m[1] + m[2], "+" + m[3] + m[4]}}}}
		edit := *s
		edit.Kind, edit.Path, edit.Language, edit.Diff = sessionevents.SegmentDiff, file, languageOf(file), diff
		t.edited(&edit)
	}
}

// took reports tests that a command takes away: git rm, mv out of the pattern, sed that
// deletes lines with assertions.
func (t *turn) took(s *sessionevents.Segment, name string, args []string) {
	switch {
	case name == "rm", name == "git" && len(args) > 1 && args[0] == "rm":
		t.deletes(s, slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "rm" || strings.HasPrefix(a, "-") }), name == "git")
	case (name == "mv" || name == "git" && len(args) > 2 && args[0] == "mv") && len(args) >= 2:
		from, to := args[len(args)-2], args[len(args)-1]
		base, folder := path.Base(from), strings.HasSuffix(to, "/")
		if t.isTest(base) && (!folder && strings.Contains(path.Base(to), ".") && !t.isTest(path.Base(to)) || t.Attic.MatchString(strings.TrimSuffix(to, "/"))) {
			t.report(change{kind: "renamed", class: tests, file: t.Before.Path(from), after: to, segment: s})
		}
	case name == "sed" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-i") || a == "--in-place" }):
		file := args[len(args)-1]
		for _, a := range args[:len(args)-1] {
			if t.isTest(file) && strings.HasSuffix(a, "/d") && (strings.Contains(a, "assert") || strings.Contains(a, "expect")) {
				t.report(change{kind: "removed", class: tests, file: t.Before.Path(file), before: a, segment: s})
			}
		}
	}
}

// deletes judges the files that a command takes away: tests, and the code that went with them.
func (t *turn) deletes(s *sessionevents.Segment, files []string, tracked bool) {
	m := t.memory
	for _, file := range files {
		if !t.isTest(file) {
			m.Gone = learn(m.Gone, stem(file), t.Turn.Turn, t.Limits.Names, nil)
			m.Names = learn(m.Names, stem(file), t.Turn.Turn, t.Limits.Names, nil)
		}
	}
	for _, file := range files {
		known := t.Before.Path(file)
		if !t.isTest(file) || !tracked && (m.own(known, "") || m.file(known) == nil && len(t.Before.Reads(known)) == 0) {
			continue // or one that may be the session's own
		}
		t.report(change{kind: "deleted", class: tests, file: known, segment: s})
	}
}

// checksFile reports whether a path names a test, or settings of checks.
func (t *turn) checksFile(file string) bool {
	switch t.classOf(t.Before.Path(file), "") {
	case tests:
		return languageOf(file) != ""
	case continuous, settings:
		return true
	}
	return false
}

func (t *turn) isTest(file string) bool {
	return t.classOf(t.Before.Path(file), "") == tests
}

// looked keeps the assertions that a short read of a test file shows, and the thresholds of
// settings.
func (t *turn) looked(s *sessionevents.Segment) {
	if s.Kind != sessionevents.SegmentTool || s.Result == nil || len(s.Accesses) != 1 || s.Accesses[0].Kind != sessionevents.AccessRead || s.Accesses[0].To < 0 {
		return
	}
	file := t.Before.Path(s.Accesses[0].Target)
	language := languageOf(file)
	class := t.classOf(file, language)
	if class == continuous || class == settings {
		for line := range strings.Lines(s.Result.Head + "\n" + s.Result.Tail) {
			t.note(file, class, line)
		}
	}
	if class != tests || !t.reader.Reads(language) {
		return
	}
	f := t.memory.keep(file, t.Limits.Files)
	if len(f.Assertions) > 0 || len(f.Tests) > 0 {
		return
	}
	whole := s.Result.Tail == "" || s.Result.Bytes <= len(s.Result.Head)+len(s.Result.Tail)
	text := s.Result.Head
	if whole {
		text += s.Result.Tail
	}
	r := t.reader.Read(language, unnumbered(text))
	f.Assertions = r.Assertions[:min(len(r.Assertions), t.Limits.Assertions)]
	for _, test := range r.Tests {
		f.Tests = bounded(f.Tests, test.Name, t.Limits.Assertions)
	}
	for i := range s.Symbols {
		if name := s.Symbols[i].Name; strings.HasPrefix(strings.ToLower(name), "test") {
			f.Tests = bounded(f.Tests, name, t.Limits.Assertions)
		}
	}
}

func languageOf(file string) string { return syntax.LanguageOf(file) }

// unnumbered is a listing without its line numbers.
func unnumbered(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		rest := strings.TrimLeft(l, " ")
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if digits == 0 || digits > 6 {
			continue
		}
		for _, mark := range []string{"\t", "→", ": ", ":", "| ", "|"} {
			if after, is := strings.CutPrefix(rest[digits:], mark); is {
				lines[i] = after
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}
