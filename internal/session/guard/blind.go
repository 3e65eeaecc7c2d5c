package guard

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"

// Blind are the facts of a caller that sees nothing but where the command would run.
type Blind struct {
	Workspace string
	Why       string // nothing else is known
}

// Home is unknown.
func (Blind) Home() string { return "" }

// Roots are the workspace.
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
func (b Blind) Work(string) Work { return Work{Unknown: b.Why} }

// Knows reports that nothing speaks against it.
func (Blind) Knows(string) (made, looked bool) { return true, true }

// Has reports that nothing is known.
func (Blind) Has(destruct.Thing) bool { return false }

// Branch is unknown.
func (Blind) Branch(string, string) Branch { return Branch{} }

// Current is unknown.
func (Blind) Current(string) string { return "" }

// Stashes are unknown.
func (Blind) Stashes(string) ([]Stash, bool) { return nil, false }

// Worktrees are unknown.
func (Blind) Worktrees(string) []string { return nil }

// Started reports that nothing is known of programs.
func (Blind) Started(string) bool { return false }

// Packs are the operator's alone.
func (Blind) Packs() Packs { return nil }

// Wave reports that nothing is known of a run.
func (Blind) Wave() bool { return false }
