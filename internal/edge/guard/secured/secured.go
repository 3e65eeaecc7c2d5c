// Package secured saves uncommitted work before a command that destroys it runs, and says so in the answer:
// for the hook endpoint, and for a hook that decides alone (GD-6, GD-20).
package secured

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/rescue"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
)

// Patience limits how long a snapshot may take: with what Git may take before it, it stays below
// hookclient.DefaultTimeout.
const Patience = 800 * time.Millisecond

// Keep takes snapshots of uncommitted work before a command that destroys it runs, and names them in the
// answer; ref is the first one, "" if there is none. If a snapshot fails the command runs all the same, and
// the answer says so. A snapshot is named after its session and turn number.
func Keep(answer *preflight.Answer, session string, turn int, patience time.Duration, at time.Time) (ref string) {
	if len(answer.Snapshots) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(patience, Patience))
	defer cancel()
	for _, folder := range slices.Compact(slices.Sorted(slices.Values(answer.Snapshots))) {
		made, err := rescue.Take(ctx, folder, fmt.Sprintf("%s-%d", session, turn), "a command that destroys it", at)
		switch {
		case errors.Is(err, rescue.ErrNothing):
			if answer.OnlyKept {
				answer.Plain()
			}
			continue
		case err != nil:
			answer.Reason += fmt.Sprintf(" No snapshot was made: %v.", err)
			continue
		}
		if answer.Decision == preflight.Allow {
			answer.Decision, answer.Class, answer.Rule = preflight.Warn, preflight.ClassDestructive, preflight.RuleDestructive
		} else {
			answer.Text += " "
		}
		answer.Text += "Uncommitted work is kept: scaffoldwatch rescue restore " + made.Name
		answer.Reason += " Uncommitted work is kept in " + made.Ref + "."
		ref = cmp.Or(ref, made.Ref)
	}
	return ref
}

// Forget removes old snapshots of the worktrees in an answer.
func Forget(answer preflight.Answer, at time.Time) {
	for _, folder := range answer.Snapshots {
		rescue.Forget(folder, at)
	}
}
