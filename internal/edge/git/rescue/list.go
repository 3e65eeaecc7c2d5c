package rescue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
)

// Kept is how long a snapshot is kept.
const Kept = 14 * 24 * time.Hour

// List returns a repository's snapshots, newest first.
func List(ctx context.Context, dir string) ([]Snapshot, error) {
	out, err := runGit(ctx, dir, nil, "for-each-ref", "--sort=-committerdate", "--format=%(refname)%09%(objectname)%09%(committerdate:unix)%09%(contents:subject)", Refs)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	var list []Snapshot
	for entry := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(entry), "\t", 4)
		if len(fields) < 4 {
			continue
		}
		seconds, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("list snapshots: %s has no time: %w", fields[0], err)
		}
		list = append(list, Snapshot{
			Ref: fields[0], Name: strings.TrimPrefix(fields[0], Refs), Commit: fields[1], Time: time.Unix(seconds, 0).UTC(),
			Why: strings.TrimPrefix(fields[3], "scaffoldwatch: before "),
		})
	}
	return list, nil
}

// Find returns the snapshot with a name or ref, or the only one whose name a person means by what they typed
// (CO-5a); "" means the newest.
func Find(ctx context.Context, dir, name string) (*Snapshot, error) {
	list, err := List(ctx, dir)
	if err != nil {
		return nil, err
	}
	var meant []int
	for i := range list {
		if name == "" || list[i].Name == name || list[i].Ref == name {
			return &list[i], nil
		}
		if means(name, list[i].Name) {
			meant = append(meant, i)
		}
	}
	switch {
	case name == "":
		return nil, fmt.Errorf("%s has no snapshots", dir)
	case len(meant) == 1:
		return &list[meant[0]], nil
	case len(meant) > 1:
		return nil, fmt.Errorf("%d snapshots begin with %s; `scaffoldwatch rescue list` names each", len(meant), name)
	}
	return nil, fmt.Errorf("no snapshot %s; `scaffoldwatch rescue list` lists the existing ones", name)
}

// means reports whether what a person typed denotes a snapshot: as its beginning, or as a short form of its session
// with its turn, as [Short] makes it.
func means(typed, name string) bool {
	session, turn := split(name)
	of, number := split(typed)
	return strings.HasPrefix(name, typed) || turn != "" && turn == number && naming.Means(of, session)
}

// split returns the session that a snapshot is named after, and its turn.
func split(name string) (session, turn string) {
	at := strings.LastIndexByte(name, '-')
	if at < 0 {
		return name, ""
	}
	return name[:at], name[at+1:]
}

// Short returns the name by which each snapshot is shown: that of a session whose id means nothing to people is
// as short as it can be.
func Short(list []Snapshot) []string {
	var sessions []string
	for _, s := range list {
		session, _ := split(s.Name)
		sessions = append(sessions, session)
	}
	names := naming.Briefs(sessions...)
	for i, s := range list {
		if _, turn := split(s.Name); turn != "" {
			names[i] += "-" + turn
		}
	}
	return names
}

// Prune removes snapshots older than Kept and returns them.
func Prune(ctx context.Context, dir string, now time.Time, dry bool) ([]Snapshot, error) {
	list, err := List(ctx, dir)
	if err != nil {
		return nil, err
	}
	var old []Snapshot
	for _, s := range list {
		if now.Sub(s.Time) <= Kept {
			continue
		}
		if !dry {
			if _, err := runGit(ctx, dir, nil, "update-ref", "-d", s.Ref, s.Commit); err != nil {
				return old, fmt.Errorf("remove %s: %w", s.Ref, err)
			}
		}
		old = append(old, s)
	}
	return old, nil
}

// Forget prunes in the background; if it fails, the next snapshot tries again.
func Forget(dir string, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, _ = Prune(ctx, dir, now, false)
}
