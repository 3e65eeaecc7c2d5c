package weakenedcheck

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// watch follows what a turn does, edits and calls, and asks each kind of weakening about it.
type watch struct {
	*turn
	suite   *suite
	marking *marking
	figures *figures
	checks  *checks
}

func (d *instance) watch(p *detect.Pass) *watch {
	t := &turn{instance: d, Pass: p, memory: p.State.(*memory)}
	return &watch{t, &suite{t}, &marking{t}, &figures{t}, &checks{turn: t}}
}

// maxCommand bounds a command line that is read.
const maxCommand = 64 << 10

// edited reads a DIFF: of the code itself what it is about, of checks what they lose.
func (j *watch) edited(s *sessionevents.Segment) {
	if s.Proposed || s.Rejected || s.Diff == nil || s.Diff.Failed || s.Path == "" {
		return
	}
	e := &edit{turn: j.turn, segment: s, file: j.Before.Path(s.Path), language: s.Language}
	if e.language == "" {
		e.language = syntax.LanguageOf(s.Path)
	}
	e.class = j.classOf(e.file, e.language)
	if e.class == document {
		return
	}
	e.removed, e.added = s.Diff.Removed(), s.Diff.Added()
	e.before, e.after = sides(s.Diff)
	j.marking.unmarked(e)
	switch e.class {
	case "":
		j.production(e)
		return
	case source:
		j.production(e)
		if len(j.memory.Failures) == 0 && !j.requests().protects("silenced") && !j.requests().protects("rigged") {
			return
		}
	case tests:
		j.suite.tested(e)
	case fixtures:
		j.suite.tested(e)
		j.data(e)
	case snapshots:
		if len(e.removed) > 0 || s.Diff.Op == sessionevents.DiffDelete {
			j.report(change{kind: "accepted", class: e.class, file: e.file, before: firstText(e.removed), after: firstText(e.added), segment: s})
		}
	case continuous, settings:
		j.marking.unlisted(e)
		j.dependencies(e)
	}
	j.marking.marked(e)
	j.figures.numbered(e)
}

// production notes an edit of the code itself: what it is about, and what it takes away.
func (j *watch) production(e *edit) {
	m, limit := j.memory, j.Limits.Names
	m.Edited = j.Turn.Turn
	m.Names.learn(stem(e.file), limit, nil)
	added := map[string]bool{}
	for _, l := range e.added {
		for name := range eachName(l.Text) {
			if !j.Common[name] {
				m.Names.learn(name, limit, nil)
				added[name] = true
			}
		}
	}
	if e.segment.Diff.Op == sessionevents.DiffDelete || e.segment.Diff.Op == sessionevents.DiffRename {
		m.Gone.learn(stem(e.file)+" "+stem(e.segment.Diff.OldPath), limit, nil)
	}
	for _, l := range e.removed {
		for name := range eachName(l.Text) {
			if j.Common[name] {
				continue
			}
			m.Names.learn(name, limit, nil)
			if !added[name] {
				m.Gone.learn(name, limit, nil)
			}
		}
	}
}

// dependencies notes what an edit of a manifest gives another version: what it prints may
// change with it.
func (j *watch) dependencies(e *edit) {
	for _, l := range e.added {
		if j.Version.MatchString(l.Text) {
			j.memory.Names.learn(l.Text, j.Limits.Names, j.Common)
		}
	}
}

// data reports values that an edit of fixtures replaces; it counts only against a
// constraint that protects them.
func (j *watch) data(e *edit) {
	if len(e.removed) > 0 && !moved(e.removed, e.added) {
		j.report(change{kind: "fixture", class: e.class, file: e.file, before: firstText(e.removed), after: firstText(e.added), segment: e.segment})
	}
}

// moved reports whether every removed line is among the added ones.
func moved(removed, added []sessionevents.Line) bool {
	return !slices.ContainsFunc(removed, func(r sessionevents.Line) bool {
		text := strings.TrimSpace(r.Text)
		return text != "" && !slices.ContainsFunc(added, func(a sessionevents.Line) bool { return strings.TrimSpace(a.Text) == text })
	})
}

// commanded reads a command line: checks that it leaves out or bypasses, tests that it
// takes away.
func (j *watch) commanded(s *sessionevents.Segment) {
	if s.Tool.Canonical != sessionevents.ToolShell || s.Rejected || s.Kind == sessionevents.SegmentTodo || s.Tool.Command == "" || len(s.Tool.Command) > maxCommand {
		return
	}
	if !strings.Contains(s.Tool.Command, ".replace(") && !j.Checks.MatchString(s.Tool.Command) && !strings.Contains(s.Tool.Command, "git ") && !strings.Contains(s.Tool.Command, "sed ") && !strings.Contains(s.Tool.Command, "mv ") && !strings.Contains(s.Tool.Command, "rm ") {
		return
	}
	if s.Kind == sessionevents.SegmentError && slices.ContainsFunc(j.Turn.Segments, func(o sessionevents.Segment) bool {
		return o.Index < s.Index && o.Tool != nil && o.Tool.CallID == s.Tool.CallID && o.Kind == sessionevents.SegmentTool
	}) {
		return
	}
	for _, i := range j.commands.Invocations(s.Tool.Command) {
		line := strings.Join(append([]string{i.Name}, i.Args...), " ")
		for k := range j.Commands {
			c := &j.Commands[k]
			if !c.Pattern.MatchString(line) || c.Unless != nil && c.Unless.MatchString(line) || c.Kind == "unrun" && j.Looks.MatchString(s.Tool.Command) {
				continue
			}
			j.report(change{kind: c.Kind, after: line, segment: s})
			break
		}
		j.figures.lenient(s, line)
		j.took(s, i.Name, i.Args)
		if strings.HasPrefix(i.Name, "python") || i.Name == "node" || i.Name == "perl" || i.Name == "ruby" {
			j.scripted(s, i.Input+"\n"+strings.Join(i.Args, "\n"))
		}
	}
}

// scripted reads a script that replaces text in one file of checks as the edit that it is.
func (j *watch) scripted(s *sessionevents.Segment, script string) {
	file := ""
	for _, m := range j.Literal.FindAllStringSubmatch(script, -1) {
		if text := m[1] + m[2]; !strings.Contains(text, " ") && j.checksFile(text) {
			file = text
		}
	}
	if file == "" {
		return
	}
	for _, m := range j.Replaced.FindAllStringSubmatch(script, -1) {
		diff := &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: []string{"-" + m[1] + m[2], "+" + m[3] + m[4]}}}}
		edit := *s
		edit.Kind, edit.Path, edit.Language, edit.Diff = sessionevents.SegmentDiff, file, languageOf(file), diff
		j.edited(&edit)
	}
}

// took reports tests that a command takes away: git rm, mv out of the pattern, sed that
// deletes lines with assertions.
func (j *watch) took(s *sessionevents.Segment, name string, args []string) {
	switch {
	case name == "rm", name == "git" && len(args) > 1 && args[0] == "rm":
		j.deletes(s, slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "rm" || strings.HasPrefix(a, "-") }), name == "git")
	case (name == "mv" || name == "git" && len(args) > 2 && args[0] == "mv") && len(args) >= 2:
		from, to := args[len(args)-2], args[len(args)-1]
		base, folder := path.Base(from), strings.HasSuffix(to, "/")
		if j.isTest(base) && (!folder && strings.Contains(path.Base(to), ".") && !j.isTest(path.Base(to)) || j.Attic.MatchString(strings.TrimSuffix(to, "/"))) {
			j.report(change{kind: "renamed", class: tests, file: j.Before.Path(from), after: to, segment: s})
		}
	case name == "sed" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-i") || a == "--in-place" }):
		file := args[len(args)-1]
		for _, a := range args[:len(args)-1] {
			if j.isTest(file) && strings.HasSuffix(a, "/d") && (strings.Contains(a, "assert") || strings.Contains(a, "expect")) {
				j.report(change{kind: "removed", class: tests, file: j.Before.Path(file), before: a, segment: s})
			}
		}
	}
}

// deletes judges the files that a command takes away: tests, and the code that went with them.
func (j *watch) deletes(s *sessionevents.Segment, files []string, tracked bool) {
	m := j.memory
	for _, file := range files {
		if !j.isTest(file) {
			m.Gone.learn(stem(file), j.Limits.Names, nil)
			m.Names.learn(stem(file), j.Limits.Names, nil)
		}
	}
	for _, file := range files {
		known := j.Before.Path(file)
		if !j.isTest(file) || !tracked && (m.own(known, "") || m.file(known) == nil && len(j.Before.Reads(known)) == 0) {
			continue // or one that may be the session's own
		}
		j.report(change{kind: "deleted", class: tests, file: known, segment: s})
	}
}

// looked keeps the assertions that a short read of a test file shows, and the thresholds of
// settings.
func (j *watch) looked(s *sessionevents.Segment) {
	if s.Kind != sessionevents.SegmentTool || s.Result == nil || len(s.Accesses) != 1 || s.Accesses[0].Kind != sessionevents.AccessRead || s.Accesses[0].To < 0 {
		return
	}
	file := j.Before.Path(s.Accesses[0].Target)
	language := languageOf(file)
	class := j.classOf(file, language)
	if class == continuous || class == settings {
		for line := range strings.Lines(s.Result.Head + "\n" + s.Result.Tail) {
			j.figures.note(file, class, line)
		}
	}
	if class != tests || !j.reader.Reads(language) {
		return
	}
	f := j.memory.keep(file, j.Limits.Files)
	if len(f.Assertions) > 0 || len(f.Tests) > 0 {
		return
	}
	whole := s.Result.Tail == "" || s.Result.Bytes <= len(s.Result.Head)+len(s.Result.Tail)
	text := s.Result.Head
	if whole {
		text += s.Result.Tail
	}
	shown, _ := segment.WithoutNumbers(text)
	r := j.read(language, shown)
	f.Assertions = r.Assertions[:min(len(r.Assertions), j.Limits.Assertions)]
	for _, test := range r.Tests {
		f.Tests = detect.Once(f.Tests, test.Name, j.Limits.Assertions)
	}
	for i := range s.Symbols {
		if name := s.Symbols[i].Name; strings.HasPrefix(strings.ToLower(name), "test") {
			f.Tests = detect.Once(f.Tests, name, j.Limits.Assertions)
		}
	}
}

func languageOf(file string) string { return syntax.LanguageOf(file) }
