package secured

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/once"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Check returns the answer to a call of a session, considering what a person permitted once (GD-11): a
// denial for destroying something ends with the word that lifts it, and a permission is consumed by the
// call that it lets through. With provides the session's denials. Keeper saves what the call destroys; nil means that
// snapshots are switched off, which the answer says where it would name one. Ref is the first snapshot, "" for none.
func Check(
	checker *preflight.Checker, call *preflight.Call, session string, with func(func(*once.Pending)), keeper *Keeper,
) (answer preflight.Answer, ref string) {
	same := checker.Same(call)
	inPlace := false
	with(func(p *once.Pending) {
		call.Permission = p.Given(same, call.At)
		inPlace = p.Says(string(call.Input), call.At)
	})
	if inPlace {
		return checker.InPlaceOfAPerson(), ""
	}
	answer = checker.Check(*call)
	switch {
	case keeper != nil:
		ref = keeper.keep(&answer)
	case answer.OnlyKept:
		answer.Text = answer.Unkept.Text
	}
	with(func(p *once.Pending) {
		switch {
		case answer.Decision == preflight.Deny && answer.Class == preflight.ClassDestructive:
			answer.Word = p.Denied(session, same, call.At)
			answer.Text += " Only a person can let it run once, by typing: allow " + answer.Word
		case call.Permission != nil && answer.Decision != preflight.Deny:
			p.Spend(same)
		}
	})
	return answer, ref
}

// AtThePrompt is the permission from a word that was typed in the agent's chat.
var AtThePrompt = sessionevents.GuardPermission{How: sessionevents.GuardPrompt, By: "the person at the prompt"}

// Lifted returns the text for agent and person after a word was used.
func Lifted(word string, lifted bool) string {
	if !lifted {
		return "scaffoldwatch: no denial of this session has the word " + word + " any more; a denial can be lifted for ten minutes, once."
	}
	return "scaffoldwatch: the person allows the call that was denied with the word " + word + " once, as it was, within ten minutes."
}
