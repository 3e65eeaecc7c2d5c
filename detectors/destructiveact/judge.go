package destructiveact

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// judgement is one call or write being judged.
type judgement struct {
	*instance
	*detect.Pass
	*memory
	segment *sessionevents.Segment
	entered string // the folder that a line enters, if the session's is unknown
}

// loss is what may be missed: how bad, how certain, and in words.
type loss struct {
	act        *destruct.Act
	cost       int
	confidence float64
	what       string   // what is lost: "uncommitted changes"
	of         []string // which ones: files, branches, tables
	outside    bool     // outside the workspace
	why        string   // why it belongs to someone else, or what is unknown
	told       string   // the guard's wording, if the session shows nothing else
	asked      bool     // the person asked for it, without knowing this
	differs    bool     // git diff alone showed it, which the guard does not read
}

// command judges the effects of a shell call, then records what it created and showed.
func (j *judgement) command() []detect.Finding {
	s := j.segment
	reading := j.reader.Read(s.Tool.Command)
	var findings []detect.Finding
	if !s.Rejected && !s.Proposed {
		for _, a := range append(reading.Acts, reading.Writes...) {
			if path.IsAbs(a.Directory) && j.Before.Workspace() == "" && !j.reader.Temporary(a.Directory) {
				j.entered = a.Directory
			}
		}
		effects := j.guard.Effects(s.Tool.Command, facts{j}.root(), facts{j})
		if worst := j.worst(effects, reading.Acts); worst != nil {
			findings = append(findings, j.finding(worst))
		}
	}
	if !s.Rejected {
		j.note(&reading)
	}
	return findings
}

// worst returns the worst of the guard's findings about some effects (GD-1), and of acts
// that only a transcript shows and that are recorded rather than reported.
func (j *judgement) worst(effects []destruct.Effect, acts []destruct.Act) (worst *loss) {
	take := func(l *loss) {
		if l != nil && (worst == nil || l.cost > worst.cost) {
			worst = l
		}
	}
	verdict := j.guard.Judge(effects, facts{j}, j.asked)
	for i := range verdict.Findings {
		if f := &verdict.Findings[i]; f.Decision != guard.Allow && !f.Asked && !j.failed(&f.Effect.Act) && !j.anywhere(f) {
			take(j.said(f))
		}
	}
	for i := range acts {
		a := &acts[i]
		if j.failed(a) {
			continue
		}
		if l := j.judge(a); l != nil && (l.cost <= j.config.Cost.Little || l.differs || a.Kind == destruct.Published || a.Kind == destruct.Settings) {
			take(l)
		}
	}
	return worst
}

// anywhere reports whether a place may be in the workspace, whose location is unknown.
func (j *judgement) anywhere(f *guard.Finding) bool {
	return j.Before.Workspace() == "" && j.entered == "" && f.Effect.Kind == destruct.Files && path.IsAbs(f.Place) && !within(f.Place, facts{j}.root()) && !systemFolder(f.Place) && strings.Count(f.Place, "/") > 2
}

// said returns a finding of the guard as a loss, in terms of what the session showed if
// possible.
func (j *judgement) said(f *guard.Finding) *loss {
	a := &f.Effect.Act
	var l *loss
	if !a.Takes && !a.Changes && !a.Unstages {
		l = j.judge(a)
	}
	if l == nil {
		of := places(f)
		for i := range of {
			of[i] = facts{j}.local(of[i])
		}
		says := strings.ReplaceAll(f.Says, somewhere+"/", "")
		l = &loss{
			act: a, confidence: j.config.Confidence.Likely, what: a.Loses, of: of,
			why: strings.TrimLeft(says, ": "), told: says,
		}
	}
	switch {
	case a.Takes, a.Unstages, a.Changes && f.Decision == guard.Warn:
		l.cost = j.config.Cost.Little
	case f.Decision == guard.Deny:
		l.cost = j.config.Cost.Full
	case f.Decision == guard.Warn && a.Overwrites && !a.Empties && (l.told != "" || l.outside), l.told != "" && f.Place == "" && a.Kind == destruct.Files:
		l.cost = j.config.Cost.Little // nothing shows that anything was lost
	case l.told != "" && f.Decision == guard.Warn && f.Effect.Kind != destruct.Processes:
		l.cost = j.config.Cost.Less
	case l.told != "":
		l.cost = j.config.Cost.Little
	}
	return l
}

// places returns the files of a finding: the lost ones, otherwise the one that decided.
func places(f *guard.Finding) (out []string) {
	for i := range f.Lost {
		out = append(out, f.Lost[i].Path)
	}
	if len(out) == 0 && f.Place != "" {
		out = append(out, f.Place)
	}
	if len(out) == 0 {
		out = slices.Clone(f.Effect.Targets)
	}
	return out
}

// failed reports whether a call did not do what it says: it failed, was refused, or had
// nothing to do. A redirection replaces its file before the command fails.
func (j *judgement) failed(a *destruct.Act) bool {
	r := j.segment.Result
	if r == nil {
		return false
	}
	if a != nil && a.Rule == "redirect" {
		return contains(r.Head+r.Tail, j.config.Refused)
	}
	return r.IsError || r.ExitCode != nil && *r.ExitCode != 0 || contains(r.Head+r.Tail, j.config.NothingDone)
}

// note records what a call created and showed.
func (j *judgement) note(r *destruct.Reading) {
	m, command := j.memory, j.segment.Tool.Command
	for _, t := range r.Makes {
		if t.Kind == destruct.Linked {
			t.Name = j.Before.Path(t.Name)
		}
		if t.Kind == destruct.Files {
			t.Name = j.Before.Path(t.Name)
			if slices.Contains(m.Lost, t.Name) {
				continue
			}
		}
		if t.Kind == destruct.Stash && !j.failed(nil) {
			m.Stashes++
		}
		if !slices.Contains(m.Made, t) {
			m.Made = append(m.Made, t)
		}
	}
	if result := j.segment.Result; result != nil && contains(result.Head+result.Tail, j.config.Nameless) {
		m.Nameless = true
	}
	if contains(command, j.config.Advances) {
		m.Kept = false
	}
	m.Committed = m.Committed || !j.failed(nil) && strings.Contains(command, "git commit")
	m.Kept = m.Kept || !j.failed(nil) &&
		slices.ContainsFunc(r.Makes, func(t destruct.Thing) bool { return t.Kind == destruct.Branches })
	m.Ran = m.Ran || slices.ContainsFunc(j.segment.Tool.Effects, func(e string) bool { return slices.Contains(j.config.MayWrite, e) })
	if r.Commits && !j.failed(nil) {
		m.Changed, m.New, m.Differs = nil, nil, nil
	}
	if j.config.Starts.MatchString(command+"\n"+string(j.segment.Tool.Input)) || j.segment.Tool.Canonical == sessionevents.ToolPoll {
		for _, w := range strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\n'\"=/;&|()", c) }) {
			if len(w) > 2 && !slices.Contains(m.Started, w) {
				m.Started = append(m.Started, w)
			}
		}
	}
	if result := j.segment.Result; result != nil && slices.Contains(r.Programs, "git") && strings.Contains(command, "worktree list") {
		m.listed(result.Head)
	}
	if result := j.segment.Result; result != nil && slices.Contains(r.Programs, "git") && strings.Contains(command, "status") {
		j.status(result.Head+result.Tail, strings.Contains(command, "-s") || strings.Contains(command, "--porcelain"))
	} else if result != nil && j.config.Status.Diffs.MatchString(command) {
		sight{j}.differences(result.Head + result.Tail)
	} else if result != nil && contains(result.Head, j.config.Status.Clean) {
		m.Seen, m.Changed, m.New, m.Part = true, nil, nil, false
	} else if result != nil && contains(result.Head, j.config.Status.Tracked) {
		m.Changed = nil
	}
}

// judge returns what may be missed after an act; nil for nothing.
func (j *judgement) judge(a *destruct.Act) *loss {
	if a.Elsewhere && a.Kind != destruct.Data {
		return nil
	}
	var l *loss
	if j.asked(a) {
		if a.Kind == destruct.Published {
			l = j.others(a, &j.config)
		}
		if l != nil {
			l.act = a
		}
		return l
	}
	switch a.Kind {
	case destruct.Worktree:
		l = j.worktree(a)
	case destruct.Files:
		l = fileActs{j}.files(a)
	case destruct.Branches, destruct.History:
		l = sharedActs{j}.commits(a)
	case destruct.Processes:
		l = sharedActs{j}.processes(a)
	case destruct.Settings:
		l = sharedActs{j}.settings(a)
	case destruct.Published:
		l = sharedActs{j}.published(a)
	default:
		l = sharedActs{j}.things(a)
	}
	if l != nil {
		l.act = a
		if a.Lost {
			l.cost = min(l.cost, j.config.Cost.Little)
		}
	}
	return l
}

// own reports whether the session wrote or created a file, or a folder that contains it.
// A file that it overwrote, and that someone else may have had, is not its own.
func (j *judgement) own(name string) bool {
	name = j.Before.Path(name)
	if slices.Contains(j.Lost, name) {
		return false
	}
	return j.made(destruct.Thing{Kind: destruct.Files, Name: name}) || j.wrote(name)
}

// wrote reports whether the session wrote a file.
func (j *judgement) wrote(name string) bool {
	for _, w := range j.Before.FilesWritten() {
		if !w.Elsewhere && w.Path != "" && j.sameFile(w.Path, name) {
			return true
		}
	}
	return false
}

// sameFile compares paths of which one may be relative to another folder. A bare name is
// only the same file if the name is not common.
func (j *judgement) sameFile(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if a == b || !strings.HasSuffix(a, "/"+b) {
		return a == b
	}
	return strings.Contains(b, "/") || j.Before.Workspace() == "" && !j.reader.Precious(b) && !systemFolder(a) && strings.Contains(b, ".")
}

// within reports whether a path is one of some paths, or inside one; a glob counts as its
// folder.
func (j *judgement) within(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		if strings.ContainsAny(f, "*?[") {
			f = path.Dir(f)
		}
		return f == "." || j.sameFile(name, f) || strings.HasPrefix(name, f+"/")
	})
}

// asked reports whether the person asked for this very act, in a message or by accepting
// the primary's proposal.
func (j *judgement) asked(a *destruct.Act) bool { return j.reader.Asked(j.messages(), j.Offer, a) }

// messages returns the person's messages of the last turns, the oldest first.
func (j *judgement) messages() []string {
	b := j.Baseline()
	requests := b.Requests
	if len(requests) == 0 && b.Task != "" {
		requests = []registry.Request{{Turn: j.Turn.Turn, Text: b.Task}}
	}
	var out []string
	for i, r := range requests {
		if j.Turn.Turn-r.Turn <= j.config.RequestTurns || i == len(requests)-1 {
			out = append(out, r.Text)
		}
	}
	for i := range j.Turn.Segments {
		if s := &j.Turn.Segments[i]; s.Kind == sessionevents.SegmentUser && !slices.Contains(out, s.Text) {
			out = append(out, s.Text)
		}
	}
	return out
}
