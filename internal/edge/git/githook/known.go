package githook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// trees compares the worktrees with those known, and counts what their branches have.
type trees struct{ *Repository }

// knownFolder returns the folder that holds a file for each published worktree. Git has no hook for the
// removal of a worktree, so each call compares. However many hooks run at once, only one process creates or
// removes a given file.
func (r trees) knownFolder() string { return filepath.Join(r.folder(), "worktrees") }

// known is a worktree as first seen.
type known struct {
	Worktree
	// Base is where its branch had left main, the beginning of its own commits.
	Base string `json:"base,omitempty"`
}

// compare returns the facts of the worktrees created and removed since the last call.
func (r trees) compare(ctx context.Context, i *Installation) ([]events.Event, error) {
	_, linked, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.knownFolder(), 0o755); err != nil {
		return nil, fmt.Errorf("remember the worktrees: %w", err)
	}
	var facts []events.Event
	there := map[string]bool{}
	for _, w := range i.waves(linked) {
		name := marker(w)
		there[name] = true
		created, err := r.mark(ctx, i, name, w)
		if err != nil {
			return facts, err
		}
		if created {
			facts = append(facts, fact(i.Run, "", &runevents.WorktreeCreated{Actor: actor, Path: w.Path, Branch: w.Branch, Wave: w.Wave, Letter: w.Letter}))
		}
	}
	gone, err := r.unmark(there)
	for _, w := range gone {
		facts = append(facts, fact(i.Run, "", &runevents.WorktreeRemoved{Actor: actor, Path: w.Path, Branch: w.Branch, Wave: w.Wave, Letter: w.Letter}))
	}
	return facts, err
}

func marker(w Worktree) string {
	sum := sha256.Sum256([]byte(w.Path))
	return hex.EncodeToString(sum[:12]) + ".json"
}

// mark remembers a worktree; it returns false if it was known.
func (r trees) mark(ctx context.Context, i *Installation, name string, w Worktree) (bool, error) {
	path := filepath.Join(r.knownFolder(), name)
	if _, err := os.Lstat(path); err == nil {
		return false, nil
	}
	k := known{Worktree: w, Base: r.forkPoint(ctx, i, w.head)}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remember worktree %s: %w", w.Path, err)
	}
	data, err := json.Marshal(k)
	if err == nil {
		_, err = file.Write(data)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return false, fmt.Errorf("remember worktree %s: %w", w.Path, err)
	}
	return true, nil
}

// forkPoint returns where a commit's line left main, "" if the two have nothing in common.
func (r trees) forkPoint(ctx context.Context, i *Installation, head string) string {
	if head == "" || strings.Trim(head, "0") == "" { // a branch without a commit
		return ""
	}
	return r.forkOf(ctx, heads+i.Main, head)
}

// forkOf returns the last commit that two lines have in common, "" for none.
func (r trees) forkOf(ctx context.Context, one, other string) string {
	base, err := line(r.git(ctx, r.Dir, "merge-base", one, other))
	if err != nil {
		return ""
	}
	return base
}

// recall returns what was remembered about a worktree, and when.
func (r trees) recall(w Worktree) (k known, since time.Time) {
	path := filepath.Join(r.knownFolder(), marker(w))
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &k) != nil {
		return known{Worktree: w}, time.Time{}
	}
	if info, err := os.Stat(path); err == nil {
		since = info.ModTime()
	}
	return k, since
}

// unmark forgets the worktrees that no longer exist and returns those that this call forgot.
func (r trees) unmark(there map[string]bool) ([]Worktree, error) {
	entries, err := os.ReadDir(r.knownFolder())
	if err != nil {
		return nil, fmt.Errorf("look at the worktrees that were: %w", err)
	}
	var gone []Worktree
	for _, entry := range entries {
		if there[entry.Name()] {
			continue
		}
		path := filepath.Join(r.knownFolder(), entry.Name())
		data, err := os.ReadFile(path)
		if err != nil || os.Remove(path) != nil {
			continue // another hook was faster
		}
		var w Worktree
		if json.Unmarshal(data, &w) == nil && w.Path != "" {
			gone = append(gone, w)
		}
	}
	sort.Slice(gone, func(a, b int) bool { return gone[a].Path < gone[b].Path })
	return gone, nil
}
