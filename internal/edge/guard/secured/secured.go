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
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
)

// Patience is how long a snapshot may always take. A call whose facts came quickly leaves it more, up to Limit for
// the whole answer, which stays below hookclient.DefaultTimeout.
const (
	Patience = 800 * time.Millisecond
	Limit    = uncommitted.Patience + Patience
)

// Keeper takes snapshots of uncommitted work before a command that destroys it runs, and names them in the answer.
// A snapshot is named after its session and turn number.
type Keeper struct {
	Session  string
	Turn     int
	Began    time.Time
	Patience time.Duration // limits how long a snapshot may take; 0 means what is left of Limit
}

func (k Keeper) patience() time.Duration {
	return cmp.Or(k.Patience, min(max(Limit-time.Since(k.Began), Patience), Limit))
}

// keep takes the snapshots of an answer; ref is the first one, "" if there is none. If one fails, what may run only
// because it is kept is denied; what a person allowed or asked for runs, and the answer says that nothing is kept.
func (k Keeper) keep(answer *preflight.Answer) (ref string) {
	if len(answer.Snapshots) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), k.patience())
	defer cancel()
	name := fmt.Sprintf("%s-%d", k.Session, k.Turn)
	for _, folder := range slices.Compact(slices.Sorted(slices.Values(answer.Snapshots))) {
		made, err := rescue.Take(ctx, folder, name, "a command that destroys it", k.Began)
		switch {
		case errors.Is(err, rescue.ErrNothing):
			if answer.OnlyKept {
				answer.Plain()
			}
		case err != nil:
			answer.Reason += fmt.Sprintf(" No snapshot was made: %v.", err)
			switch {
			case answer.Decision == preflight.Deny, errors.Is(err, rescue.ErrNoWorktree): // nothing could be kept
			case answer.Unkept.Decision != "":
				answer.Decision, answer.Text, answer.OnlyKept = answer.Unkept.Decision, answer.Unkept.Text, false
			default:
				say(answer, "No snapshot of the uncommitted work could be made.")
			}
		default:
			say(answer, "Uncommitted work is kept: scaffoldwatch rescue restore "+made.Name)
			answer.Reason += " Uncommitted work is kept in " + made.Ref + "."
			ref = cmp.Or(ref, made.Ref)
		}
	}
	return ref
}

// say adds a sentence to an answer; an answer that had none becomes a warning.
func say(answer *preflight.Answer, sentence string) {
	if answer.Decision == preflight.Allow {
		answer.Decision, answer.Class, answer.Rule = preflight.Warn, preflight.ClassDestructive, preflight.RuleDestructive
		answer.Text = ""
	}
	if answer.Text != "" {
		answer.Text += " "
	}
	answer.Text += sentence
}

// Forget removes old snapshots of the worktrees in an answer.
func Forget(answer preflight.Answer, at time.Time) {
	for _, folder := range answer.Snapshots {
		rescue.Forget(folder, at)
	}
}
