package githook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The file "told" holds a line for each commit and merge that a hook published, so
// that [Count] can find those that bypassed the hooks.

func (r *Repository) toldFile() string { return filepath.Join(r.folder(), "told") }

// note adds a commit, and the branch it was made on or merged from. Lines are short enough to be written
// atomically, so hooks may run at once.
func (r *Repository) note(what, sha, branch string) error {
	file, err := os.OpenFile(r.toldFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("remember what was published: %w", err)
	}
	_, err = file.WriteString(what + " " + sha + " " + branch + "\n")
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("remember what was published: %w", err)
	}
	return nil
}

// The kinds of lines.
const (
	toldCommit = "commit"
	toldMerge  = "merge" // sha is what was merged
)

// ledger is the record of what the hooks published.
type ledger struct {
	commits map[string]string // sha → branch
	merged  map[string]bool   // sha
}

func (r *Repository) told() ledger {
	t := ledger{commits: map[string]string{}, merged: map[string]bool{}}
	data, err := os.ReadFile(r.toldFile())
	if err != nil {
		return t // nothing yet
	}
	for entry := range strings.Lines(string(data)) {
		what, rest, _ := strings.Cut(strings.TrimSuffix(entry, "\n"), " ")
		sha, branch, _ := strings.Cut(rest, " ")
		switch what {
		case toldCommit:
			if _, is := t.commits[sha]; !is { // where it was made first
				t.commits[sha] = branch
			}
		case toldMerge:
			t.merged[sha] = true
		}
	}
	return t
}
