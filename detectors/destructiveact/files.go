package destructiveact

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// fileActs judges what removes, replaces or writes files.
type fileActs struct{ *judgement }

// files judges an act that removes or replaces files by the worst of its targets.
func (j fileActs) files(a *destruct.Act) *loss {
	var worst *loss
	for _, t := range a.Targets {
		name := j.Before.Path(t)
		if j.own(name) || sight(j).absent(name) || j.reader.Temporary(name) {
			continue
		}
		l := j.file(a, name)
		if l == nil {
			continue
		}
		if slices.Contains(j.Lost, name) && a.Overwrites {
			l.cost = min(l.cost, j.config.Cost.Little) // reported once
		} else if a.Overwrites || a.Rule == "remove" {
			j.memory.Lost = append(j.memory.Lost, name)
		}
		if worst == nil || l.cost > worst.cost {
			l.of = []string{name}
			worst = l
		}
	}
	return worst
}

// file judges one target.
func (j fileActs) file(a *destruct.Act, name string) *loss {
	c := &j.config
	known := len(j.Before.Reads(name)) > 0
	switch {
	case strings.ContainsAny(name, "$`{"):
		return &loss{cost: c.Cost.Little, confidence: c.Confidence.Unknown, what: a.Loses, why: "what the variable holds is not known"}
	case everything(name) && a.Recursive && a.Rule != "find-delete":
		return &loss{cost: c.Cost.Full, confidence: c.Confidence.Known, what: "everything there", why: "it names no file of its own"}
	case a.Overwrites && !a.Empties && j.reader.Precious(name):
		return &loss{cost: c.Cost.Part, confidence: c.Confidence.Likely, what: a.Loses, why: "Git seldom holds such a file, and nothing copied it first"}
	case j.reader.Precious(name) && !strings.ContainsAny(name, "*?"):
		why := "Git seldom holds such a file, and this session did not make it"
		if slices.Contains(j.Lost, name) {
			why = "Git seldom holds such a file, and this session wrote over it without a copy"
		}
		return &loss{cost: c.Cost.Full, confidence: c.Confidence.Likely, what: "the file", why: why}
	case a.Rule == "remove" && !a.Recursive && j.reader.Link(name):
		return nil
	case j.outside(name):
		return j.beyond(a, name)
	case j.putOver(a, name):
		return &loss{
			cost: c.Cost.Full, confidence: c.Confidence.Known, what: "uncommitted work",
			why: "git status showed it before this session wrote there",
		}
	case !a.Overwrites && j.shown(a, name):
		return &loss{cost: c.Cost.Full, confidence: c.Confidence.Known, what: "the file", why: "git status showed it before this session wrote there"}
	case a.Rule == "remove" && !a.Recursive && slices.Contains(j.Differs, name):
		return &loss{
			cost: c.Cost.Full, confidence: c.Confidence.Known, what: a.Loses, differs: true,
			why: "git diff showed changes there that this session did not make",
		}
	case a.Empties && known:
		return &loss{cost: c.Cost.Full, confidence: c.Confidence.Likely, what: "the content", why: "this session did not make it"}
	case a.Overwrites, a.Empties:
		return nil
	case a.Recursive && machineMade(name):
		return nil
	case a.Recursive && !known && !j.lookedInto(name):
		return &loss{cost: c.Cost.Part, confidence: c.Confidence.Unknown, what: "the folder", why: "this session neither made it nor looked into it"}
	case !known && !a.Recursive:
		return &loss{cost: c.Cost.Little, confidence: c.Confidence.Unknown, what: "the file", why: "this session neither made nor read it"}
	}
	return nil
}

// shown reports whether git status showed a file, or one in a deleted folder, before the
// session wrote there.
func (j fileActs) shown(a *destruct.Act, name string) bool {
	return slices.ContainsFunc(slices.Concat(j.Changed, j.New), func(f string) bool {
		f = strings.TrimSuffix(f, "/")
		return f == name || a.Recursive && strings.HasPrefix(f, strings.TrimSuffix(name, "/")+"/")
	})
}

// putOver reports whether another version is put over a file that git status showed: Git's own, or one that
// was copied there although the session never read the file. Writing over what was read is an edit.
func (j fileActs) putOver(a *destruct.Act, name string) bool {
	if !a.Overwrites || a.Empties || !slices.Contains(j.Changed, name) {
		return false
	}
	return a.Rule == "copy" && len(j.Before.Reads(name)) == 0 ||
		a.Rule == "redirect" && j.config.Committed.MatchString(j.segment.Tool.Command)
}

// beyond judges a target outside the workspace.
func (j fileActs) beyond(a *destruct.Act, name string) *loss {
	l := &loss{cost: j.config.Cost.Less, confidence: j.config.Confidence.Likely, what: a.Loses, outside: true, why: "it is outside of the workspace"}
	switch {
	case a.Recursive && !j.lookedInto(name) || a.Overwrites:
		l.cost = j.config.Cost.Full
	case j.Before.Workspace() == "":
		l.cost = j.config.Cost.Little
	}
	return l
}

// outside reports whether a path is outside a known workspace.
func (j fileActs) outside(name string) bool {
	if strings.HasPrefix(name, "~") || strings.HasPrefix(name, "../") {
		return true
	}
	return path.IsAbs(name) && (j.Before.Workspace() != "" || systemFolder(name))
}

// systemFolder reports whether a path belongs to the system.
func systemFolder(name string) bool {
	return slices.ContainsFunc([]string{"/usr/", "/bin/", "/sbin/", "/etc/", "/lib/", "/boot/", "/System/", "/Library/"}, func(f string) bool { return strings.HasPrefix(name, f) })
}

// machineDigits is the number of digits of a date or a long number.
const machineDigits = 6

// machineMade reports whether a program generated a name, with a time or a number in it.
func machineMade(name string) bool {
	digits := 0
	for _, c := range path.Base(name) {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits >= machineDigits
}

func everything(name string) bool {
	return slices.Contains([]string{"/", ".", "*", "/*", "~", "~/*", "./*", "..", ".git"}, name)
}

// lookedInto reports whether the session read, listed or wrote something in a folder.
func (j fileActs) lookedInto(folder string) bool {
	inside := func(name string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }
	for _, r := range j.Before.FilesRead() {
		if inside(r.Path) {
			return true
		}
	}
	for _, f := range j.Before.FetchedAll() {
		if inside(j.Before.Path(f.Target)) {
			return true
		}
	}
	for _, w := range j.Before.FilesWritten() {
		if w.Path != "" && inside(w.Path) {
			return true
		}
	}
	return false
}

// write records a file that the session writes, and judges one that it overwrites unread.
func (j fileActs) write() (findings []detect.Finding) {
	s := j.segment
	if s.Rejected || s.Proposed || s.Diff == nil || s.Diff.Failed || s.Path == "" {
		return nil
	}
	name := j.Before.Path(s.Path)
	if l := j.edited(); l != nil {
		findings = append(findings, j.finding(l))
	}
	if s.Diff.Op == sessionevents.DiffDelete {
		return findings
	}
	j.scripted(name)
	if l := j.replaced(name); l != nil {
		l.act = &destruct.Act{Rule: destruct.WriteRule, Kind: destruct.Files, Command: "write " + name, Targets: []string{name}}
		if !j.asked(l.act) {
			j.memory.Lost = append(j.memory.Lost, name)
			return append(findings, j.finding(l))
		}
	}
	if own := (destruct.Thing{Kind: destruct.Files, Name: name}); !slices.Contains(j.Made, own) && !slices.Contains(j.Lost, name) && s.Diff.Op == sessionevents.DiffCreate {
		j.memory.Made = append(j.memory.Made, own)
	}
	return findings
}

// edited returns the guard's finding about an edit by a tool; what a shell writes is
// judged by its command.
func (j fileActs) edited() *loss {
	s := j.segment
	if s.Tool == nil || s.Tool.Canonical != sessionevents.ToolEdit && s.Tool.Canonical != sessionevents.ToolWrite {
		return nil
	}
	patch := sessionevents.FilePatch{Path: s.Path, OldPath: s.Diff.OldPath, Op: s.Diff.Op, Hunks: s.Diff.Hunks}
	whole := s.Tool.Canonical == sessionevents.ToolWrite && s.Diff.Truncated == 0
	known := facts(j)
	edits := destruct.EditsOf([]sessionevents.FilePatch{patch}, whole)
	return j.worst(j.reader.EditEffects(edits, known.root(), known), nil)
}

// scripted records the text of a program file that was written in full.
func (j fileActs) scripted(name string) {
	s, text := j.segment, strings.Builder{}
	if s.Diff.Op == sessionevents.DiffCreate || s.Tool != nil && s.Tool.Canonical == sessionevents.ToolWrite {
		for _, h := range s.Diff.Hunks {
			for _, l := range h.Lines {
				text.WriteString(strings.TrimPrefix(l, "+") + "\n")
			}
		}
	}
	if s.Diff.Truncated > 0 {
		text.Reset()
	}
	j.wroteScript(name, text.String(), j.reader.Acts)
}

// replaced judges writing a whole file over an existing one that was never read.
func (j fileActs) replaced(name string) *loss {
	s := j.segment
	if s.Tool == nil || s.Tool.Canonical != sessionevents.ToolWrite || s.Result == nil || s.Result.IsError || !contains(s.Result.Head, j.config.Overwrote) {
		return nil
	}
	if j.own(name) || j.reader.Temporary(name) || len(j.Before.Reads(name)) > 0 || len(j.Before.DiffsOf(name)) > 0 || j.lookedInto(name) {
		return nil
	}
	l := &loss{cost: j.config.Cost.Less, confidence: j.config.Confidence.Likely, what: "the former content", of: []string{name}, why: "this session never read it"}
	if j.reader.Precious(name) {
		l.cost = j.config.Cost.Full
	}
	return l
}
