package destructiveact

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// sight is what a session saw of files: which are not there, and which differ from what Git holds.
type sight struct{ *judgement }

// looked records the files that a call looked for and did not find: to remove one destroys nothing, and what is
// written there afterwards is the session's own. A look that finds the file takes that back.
func (j sight) looked() {
	s := j.segment
	if s.Kind == sessionevents.SegmentError && s.Path != "" && s.Tool != nil && s.Tool.Canonical == sessionevents.ToolRead {
		j.found(s.Path, j.config.Absent.Says.MatchString(s.Text))
	}
	if s.Result == nil {
		return
	}
	output := s.Result.Head + "\n" + s.Result.Tail
	if s.Tool != nil && s.Tool.Command != "" {
		j.lookedInShell(s.Tool.Command, output)
		return
	}
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessRead {
			j.found(a.Target, s.Result.IsError && j.config.Absent.Says.MatchString(output))
		}
	}
}

// lookedInShell reads the output of a command line that only looks, and does so here.
func (j sight) lookedInShell(command, output string) {
	look := &j.config.Absent
	if m := look.Asks.FindStringSubmatch(command); m != nil {
		j.found(m[1], strings.TrimSpace(output) == strings.Trim(m[2], `"'`))
		return
	}
	programs := j.reader.Read(command).Programs
	if slices.ContainsFunc(programs, func(p string) bool { return !slices.Contains(look.Lookers, p) }) {
		return
	}
	for _, name := range strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\n'\"=;&|()<>", c) }) {
		if strings.ContainsAny(name, "./") {
			j.found(name, slices.ContainsFunc(strings.Split(output, "\n"), func(line string) bool {
				return strings.Contains(line, name) && look.Says.MatchString(line)
			}))
		}
	}
}

// found records what a look for a file showed.
func (j sight) found(name string, missing bool) {
	name = j.Before.Path(name)
	j.memory.Absent = slices.DeleteFunc(j.memory.Absent, func(n string) bool { return n == name })
	if missing {
		j.memory.Absent = append(j.memory.Absent, name)
	}
}

// mentioned forgets the absent files that a message names: the person may make them, or have made them.
func (m *memory) mentioned(message string) {
	m.Absent = slices.DeleteFunc(m.Absent, func(n string) bool { return strings.Contains(message, path.Base(n)) })
}

// absent reports whether the session looked for a file and did not find it.
func (j sight) absent(name string) bool {
	return slices.ContainsFunc(j.Absent, func(n string) bool { return j.sameFile(n, name) })
}

// differences records the files that git diff --stat showed as changed.
func (j sight) differences(text string) {
	for line := range strings.Lines(text) {
		if found := j.config.Status.Line.FindStringSubmatch(line); found != nil && !j.own(found[1]) {
			j.memory.Differs = append(j.memory.Differs, found[1])
		}
	}
}
