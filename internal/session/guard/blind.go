package guard

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"

// Blind provides facts for a caller that knows only where the command would run.
type Blind struct {
	Workspace string
	Why       string // why nothing else is known
}

// Home is unknown.
func (Blind) Home() string { return "" }

// Roots returns the workspace.
func (b Blind) Roots() []string {
	if b.Workspace == "" {
		return nil
	}
	return []string{b.Workspace}
}

// Entry is unknown.
func (Blind) Entry(string) destruct.Entry { return destruct.Entry{} }

// Script is unknown.
func (Blind) Script(string) (string, bool) { return "", false }

// Work is unknown.
func (b Blind) Work(string, ...string) Work { return Work{Unknown: b.Why} }

// Knows reports that the session made nothing and looked everywhere, so that nothing contradicts the act.
func (Blind) Knows(string) (made, looked bool) { return false, true }

// Has reports false, since nothing is known.
func (Blind) Has(destruct.Thing) bool { return false }

// Branch is unknown.
func (Blind) Branch(string, string) Branch { return Branch{} }

// Current is unknown.
func (Blind) Current(string) string { return "" }

// Stashes are unknown.
func (Blind) Stashes(string) ([]Stash, bool) { return nil, false }

// Worktrees are unknown.
func (Blind) Worktrees(string) []string { return nil }

// Started reports false, since nothing is known about programs.
func (Blind) Started(string) bool { return false }

// Packs returns none: only the operator's modes apply.
func (Blind) Packs() Packs { return nil }

// Wave reports false, since nothing is known about a run.
func (Blind) Wave() bool { return false }
