package attest

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Ways in which a commit was found.
const (
	FoundFact  = "fact"
	FoundClaim = "claim"
	FoundEdits = "edits"
	FoundNone  = "none"
)

// commits finds the requested commits and those that the facts of the runs name.
func (b *builder) commits(ctx context.Context) error {
	for _, asked := range b.request.Commits {
		c := Commit{SHA: asked.SHA, Found: FoundNone, Time: asked.Time.UTC(), Files: []File{}}
		for _, file := range asked.Files {
			c.Files = append(c.Files, File{Path: b.options.Clean(file), Edits: []Edit{}})
		}
		b.verdict.Commits = append(b.verdict.Commits, c)
	}
	err := Each(ctx, b.source, runevents.TypeGitCommit, func(e events.Event) {
		if d, is := e.Data.(*runevents.GitCommit); is && d.SHA != "" && !d.Blocked {
			b.fact(e, d)
		}
	})
	if err != nil {
		return fmt.Errorf("read the facts about commits: %w", err)
	}
	if err := b.edits(ctx); err != nil {
		return err
	}
	b.verdict.Commits = slices.DeleteFunc(b.verdict.Commits, func(c Commit) bool {
		edited := slices.ContainsFunc(c.Files, func(f File) bool { return len(f.Edits) > 0 })
		return b.candidate(c.SHA) && c.Found == FoundNone && !edited
	})
	for i := range b.verdict.Commits {
		b.settle(&b.verdict.Commits[i])
	}
	return nil
}

// fact adds the information of a git.commit event to the commit that it names.
func (b *builder) fact(e events.Event, d *runevents.GitCommit) {
	sha := strings.ToLower(d.SHA)
	i := slices.IndexFunc(b.verdict.Commits, func(c Commit) bool { return c.SHA == sha })
	if i < 0 {
		if !slices.Contains(b.request.Runs, e.Group()) || !validSHA(sha) {
			return
		}
		b.verdict.Commits = append(b.verdict.Commits, Commit{SHA: sha, Found: FoundNone, Files: []File{}})
		i = len(b.verdict.Commits) - 1
	}
	c := &b.verdict.Commits[i]
	found := FoundClaim
	if e.Credential == events.RoleInfra {
		found = FoundFact
	}
	if c.Found == FoundFact {
		return
	}
	c.Found, c.Fact, c.Run, c.Branch, c.Letter = found, e.ID, e.Group(), d.Branch, d.Letter
	if c.Time.IsZero() {
		c.Time = e.Time.UTC()
	}
	for _, file := range d.Files {
		if !slices.ContainsFunc(c.Files, func(f File) bool { return f.Path == file }) {
			c.Files = append(c.Files, File{Path: file, Edits: []Edit{}})
		}
	}
}

// edits finds the sessions that edited the files of the commits before they were committed.
func (b *builder) edits(ctx context.Context) error {
	byName := map[string][]*wanted{}
	for i := range b.verdict.Commits {
		c := &b.verdict.Commits[i]
		for j := range c.Files {
			name := path.Base(c.Files[j].Path)
			byName[name] = append(byName[name], &wanted{commit: c, file: &c.Files[j]})
		}
	}
	if len(byName) == 0 {
		return nil
	}
	err := Each(ctx, b.source, sessionevents.TypeTurnEvaluated, func(e events.Event) {
		d, is := e.Data.(*sessionevents.TurnEvaluated)
		if !is || d.Observed == nil {
			return
		}
		for _, edited := range d.Observed.FilesEdited {
			for _, w := range byName[path.Base(edited)] {
				if b.candidate(w.commit.SHA) && !b.asked(d.Session, e.Group()) {
					continue
				}
				w.edited(e, d, edited)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("read the turns: %w", err)
	}
	return nil
}

// candidate reports whether a commit was not requested by name.
func (b *builder) candidate(sha string) bool {
	return slices.ContainsFunc(b.request.Commits, func(c GitCommit) bool { return c.SHA == sha && c.Candidate })
}

// asked reports whether a session, or its run, was requested.
func (b *builder) asked(session, group string) bool {
	return slices.Contains(b.request.Sessions, session) || slices.Contains(b.request.Runs, group)
}

// wanted is a file whose editors are being looked up.
type wanted struct {
	commit *Commit
	file   *File
}

// edited adds an edit if it is of this file and no later than the commit.
func (w *wanted) edited(e events.Event, d *sessionevents.TurnEvaluated, at string) {
	after := !w.commit.Time.IsZero() && e.Time.After(w.commit.Time.Add(slack))
	if after || !samePath(at, w.file.Path) {
		return
	}
	for i := range w.file.Edits {
		if w.file.Edits[i].Session == d.Session {
			w.file.Edits[i].Turn = d.Turn
			return
		}
	}
	w.file.Edits = append(w.file.Edits, Edit{Session: d.Session, Turn: d.Turn, group: e.Group()})
}

// slack is how long after a commit the turn that made it may end.
const slack = 15 * time.Minute

// samePath reports whether two paths name the same file, one of them possibly relative to a subfolder of
// the other's root.
func samePath(a, b string) bool {
	a, b = path.Clean("/"+strings.ReplaceAll(a, `\`, "/")), path.Clean("/"+strings.ReplaceAll(b, `\`, "/"))
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}

// settle sets how a commit was found and what remains unknown about it.
func (b *builder) settle(c *Commit) {
	nobody := 0
	for i := range c.Files {
		c.Files[i].ofRun(c.Run)
		if len(c.Files[i].Edits) == 0 {
			nobody++
		}
	}
	if c.Found == FoundNone && nobody < len(c.Files) {
		c.Found = FoundEdits
	}
	of := "commit " + c.SHA[:12]
	switch c.Found {
	case FoundNone:
		b.unknown("%s: no git.commit fact names it, and nothing that was watched edited its files", of)
	case FoundClaim:
		b.unknown("%s: only a claim names it, not the infrastructure", of)
	case FoundEdits:
		b.unknown("%s: no git.commit fact names it; sessions are linked to it by the files that they edited before it", of)
	}
	switch {
	case len(c.Files) == 0:
		b.unknown("%s: its files are not known", of)
	case nobody > 0 && c.Found != FoundNone:
		b.unknown("%s: %d of its %d files were edited by no watched session", of, nobody, len(c.Files))
	}
}

// ofRun drops edits outside the commit's run if there are any inside it: the same path in another
// repository is another file.
func (f *File) ofRun(run string) {
	other := func(e Edit) bool { return e.group != run }
	if slices.ContainsFunc(f.Edits, func(e Edit) bool { return !other(e) }) {
		f.Edits = slices.DeleteFunc(f.Edits, other)
	}
	for i := range f.Edits {
		f.Edits[i].group = ""
	}
}

// validSHA reports whether text is a full SHA-1 or SHA-256 in hexadecimal.
func validSHA(text string) bool {
	if len(text) != 40 && len(text) != 64 {
		return false
	}
	return strings.Trim(text, "0123456789abcdef") == ""
}
