package destructiveact

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// memory is what the session created and saw.
type memory struct {
	Made []destruct.Thing `json:"m,omitempty"`
	// Seen is set once git status was seen, Part if part of its output was omitted;
	// Changed and New are the files it showed that this session had not written.
	Seen    bool     `json:"s,omitempty"`
	Part    bool     `json:"p,omitempty"`
	Changed []string `json:"c,omitempty"`
	New     []string `json:"u,omitempty"`
	// Ran is set if programs ran since the last git status, whose files have no known
	// owner.
	Ran   bool `json:"r,omitempty"`
	Ahead bool `json:"a,omitempty"` // the branch had commits that are on no remote
	// Compared is set if git status showed how the branch stands to its remote, Kept while a branch or tag that
	// the session made stands where the branch does.
	Compared bool `json:"cm,omitempty"`
	Kept     bool `json:"k,omitempty"`
	// Committed is set once the session committed, Others if the branch was ahead of its remote before.
	Committed bool `json:"cd,omitempty"`
	Others    bool `json:"ot,omitempty"`
	Stashes   int  `json:"st,omitempty"`
	// Nameless is set if git knew no author, or a change of the author was already
	// reported.
	Nameless bool `json:"n,omitempty"`
	// Pushed is set once an unrequested push was reported.
	Pushed  bool     `json:"pu,omitempty"`
	Started []string `json:"w,omitempty"`  // words of commands that started a program
	Lost    []string `json:"l,omitempty"`  // files of others that were overwritten
	Absent  []string `json:"ab,omitempty"` // files that were looked for and not found
	Differs []string `json:"df,omitempty"` // files that git diff showed as changed, and that a program may have changed
	Offer   string   `json:"o,omitempty"`  // end of the primary's last report
	// Scripts are program files that the session wrote, Linked the worktrees that git
	// listed.
	Scripts []script `json:"sc,omitempty"`
	Linked  []string `json:"li,omitempty"`
}

// script is a program file and its text.
type script struct {
	Path string `json:"p"`
	Text string `json:"t"`
}

// Bounds for stored scripts.
const (
	maxScripts    = 16
	maxScriptText = 4 << 10
)

// wroteScript stores the text of a program file that the session wrote, if running it may do something; an edit makes
// the text unknown.
func (m *memory) wroteScript(name, said string, acts func(text string) bool) {
	m.Scripts = slices.DeleteFunc(m.Scripts, func(s script) bool { return s.Path == name })
	if said == "" || len(said) > maxScriptText || !strings.HasPrefix(said, "#!") && !slices.Contains(scriptEndings, path.Ext(name)) {
		return
	}
	if slices.Contains(called, path.Ext(name)) && !acts(said) {
		return
	}
	m.Scripts = text.Newest(append(m.Scripts, script{name, said}), maxScripts)
}

// called are the extensions of programs that act by calls alone, which destruct.Reader.Acts knows.
var called = []string{".py", ".js", ".mjs", ".cjs", ".ts"}

// scriptEndings are the extensions of files that an interpreter runs.
var scriptEndings = []string{".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".awk", ".command"}

// made reports whether the session created a thing, or a folder above it.
func (m *memory) made(t destruct.Thing) bool {
	return slices.ContainsFunc(m.Made, func(own destruct.Thing) bool { return own.Holds(t) })
}

// madeKind reports whether the session created something of a kind without names.
func (m *memory) madeKind(kind destruct.Kind) bool {
	return slices.ContainsFunc(m.Made, func(own destruct.Thing) bool { return own.Kind == kind })
}

// bound keeps the newest entries of each list.
func (m *memory) bound(limit int) {
	m.Made = text.Newest(m.Made, limit)
	m.Started = text.Newest(m.Started, limit)
	m.Lost = text.Newest(m.Lost, limit)
	m.Absent = text.Newest(m.Absent, limit)
	m.Differs = text.Newest(m.Differs, limit)
	m.Changed = text.Newest(m.Changed, limit)
	m.New = text.Newest(m.New, limit)
}

// moved returns what moving a branch loses: no uncommitted changes where git status showed that there are none.
func (m *memory) moved(loses string) string {
	if m.Seen && !m.Part {
		return strings.TrimPrefix(loses, "uncommitted changes and ")
	}
	return loses
}

// others judges a push that was asked for: it publishes what git status showed to be ahead of the remote before this
// session committed, too.
func (m *memory) others(a *destruct.Act, c *config) *loss {
	if !m.Others || m.Pushed {
		return nil
	}
	m.Pushed = true
	return &loss{
		cost: c.Cost.Little, confidence: c.Confidence.Unknown, what: a.Loses, of: a.Targets,
		why: "git status showed some that this session did not make", asked: true,
	}
}

// status records the output of git status. A file that the session wrote itself is its
// own, and so is one that appeared while its programs ran.
func (j *judgement) status(text string, short bool) {
	m := j.memory
	c := &j.config.Status
	before, ran := append(m.Changed, m.New...), m.Ran && m.Seen
	m.Seen, m.Changed, m.New, m.Ran = true, nil, nil, false
	r := j.segment.Result
	m.Part = r.Bytes > len(r.Head)+len(r.Tail)
	m.Ahead = contains(text, c.Ahead)
	m.Compared = m.Ahead || contains(text, c.Compared)
	m.Others = m.Others || m.Ahead && !m.Committed
	if contains(text, c.Clean) {
		m.Part = false
		return
	}
	untracked := false
	for _, line := range strings.Split(text, "\n") {
		untracked = untracked || strings.HasPrefix(line, c.Untracked)
		name, isNew, found := changedFile(line, c.Changed, untracked, short)
		if !found || j.own(name) || ran && !slices.Contains(before, name) {
			continue
		}
		if isNew {
			m.New = append(m.New, name)
		} else {
			m.Changed = append(m.Changed, name)
		}
	}
}

// changedFile reads one line of git status.
func changedFile(line string, marks []string, untracked, short bool) (name string, isNew, found bool) {
	for _, mark := range marks {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return lastName(rest), false, true
		}
	}
	switch {
	case untracked && strings.HasPrefix(line, "\t"):
		return strings.TrimSpace(line), true, true
	case short && strings.HasPrefix(line, "?? "):
		return strings.Trim(line[3:], `"`), true, true
	case short && len(line) > 3 && line[2] == ' ' && strings.Trim(line[:2], " MADRCUT") == "" && strings.TrimSpace(line[:2]) != "":
		return lastName(line[3:]), false, true
	}
	return "", false, false
}

// lastName returns the new name of a file, which git writes after an arrow.
func lastName(text string) string {
	if _, to, ok := strings.Cut(text, " -> "); ok {
		text = to
	}
	return strings.Trim(strings.TrimSpace(text), `"`)
}

func contains(text string, marks []string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(text, m) })
}

// listed records the worktrees that git worktree list printed, in either format.
func (m *memory) listed(text string) {
	m.Linked = nil
	for _, line := range strings.Split(text, "\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "worktree "), "  ")
		if path.IsAbs(name) && !slices.Contains(m.Linked, name) && len(m.Linked) < maxLinked {
			m.Linked = append(m.Linked, path.Clean(name))
		}
	}
}

const maxLinked = 64
