package guard

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
)

// Effect is what a command would do.
type Effect = destruct.Effect

// Decision is what is done about a command. Keep lets it run, after a snapshot that is said.
type Decision string

// Decisions, from the mildest.
const (
	Allow Decision = "allow"
	Keep  Decision = "keep"
	Warn  Decision = "warn"
	Deny  Decision = "deny"
)

var strictness = map[Decision]int{Allow: 0, Keep: 1, Warn: 2, Deny: 3}

// Stricter reports whether a decision is stricter than another one.
func (d Decision) Stricter(than Decision) bool { return strictness[d] > strictness[than] }

// Finding is what is decided about one effect.
type Finding struct {
	Effect   *destruct.Effect
	Decision Decision
	// Says continues the command: " would destroy work that this session did not do: …";
	// Instead is what to do.
	Says, Instead string
	// Lost are the files that nobody could get back, Place the target that decided.
	Lost  []WorkFile
	Place string
	// Snapshot is the worktree whose uncommitted work is to be kept first, "" for none.
	Snapshot string
	// Asked says that the person asked for this very act; the decision was Before.
	Asked  bool
	Before Decision
	// Observed says that the pack only watches.
	Observed bool
}

// Verdict is the judgement of a command line.
type Verdict struct {
	Decision Decision
	// Findings are all effects of which there is something to say, in the order of the line.
	Findings []Finding
}

// Worst is the strictest finding, the first of several; nil where there is nothing to say.
func (v *Verdict) Worst() *Finding {
	var worst *Finding
	for i := range v.Findings {
		if f := &v.Findings[i]; worst == nil || f.Decision.Stricter(worst.Decision) {
			worst = f
		}
	}
	return worst
}

// Snapshots are the worktrees to be kept before the command runs.
func (v *Verdict) Snapshots() (folders []string) {
	seen := map[string]bool{}
	for i := range v.Findings {
		if s := v.Findings[i].Snapshot; s != "" && !seen[s] && v.Decision != Deny {
			seen[s] = true
			folders = append(folders, s)
		}
	}
	return folders
}
