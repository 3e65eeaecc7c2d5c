package console

import (
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Acts are what a person can do on the page.
const (
	ActAck        = "ack"        // an interrupt, with its id as Target
	ActDismiss    = "dismiss"    // the same, with a reason
	ActMute       = "mute"       // the detector of the interrupt Target about its subject, in that session
	ActEscalation = "escalation" // acknowledge the escalation Target of run Of
	ActAnswer     = "answer"     // the question Target of run Of, with Option
	ActResume     = "resume"     // Of, a run or session, with a reason
	ActHalt       = "halt"       // Of, a run or session, with a reason
	ActApprove    = "approve"    // the plan of run Of, with a reason
	ActRecover    = "recover"    // the denied merge of wave Target of run Of, by Option, with a reason
	ActAllow      = "allow"      // the call that was denied with the word Target, once
	ActRestore    = "restore"    // the files of snapshot Target, in the folder of session Of
)

// button is one answer; Back is the view that shows it.
type button struct {
	Key, Act, Of, Target, Option, Label, Back string
	// Asks opens a separate page, which asks for a reason or explains what cannot be undone.
	Asks bool
}

// buttons returns the answers with the key; none without it.
func (p *Place) buttons(back string, list ...button) []button {
	if p.Key == "" {
		return nil
	}
	for i := range list {
		list[i].Key, list[i].Back = p.Key, back
	}
	return list
}

// verdicts returns a person's answers to an interrupt.
func (p *Place) verdicts(id, back string) []button {
	return p.buttons(
		back, button{Act: ActAck, Target: id, Label: "Right"},
		button{Act: ActDismiss, Target: id, Label: "False alarm…", Asks: true},
		button{Act: ActMute, Target: id, Label: "Not again here…", Asks: true},
	)
}

// recoveries returns the options for recovering a merge that the trip wire denied (WP-1), and the gate that
// they open, "" if there is none.
func recoveries(one *runlist.Run) (list []button, gate string) {
	for i := len(one.Refused) - 1; i >= 0; i-- {
		if g := &one.Refused[i]; g.Gate == runevents.GateMerge && len(g.Options) > 0 {
			return opening(one, g), g.ID
		}
	}
	return nil, ""
}

// opening returns the answers that open a gate.
func opening(one *runlist.Run, g *runlist.Gate) (list []button) {
	if g.Gate != runevents.GateMerge || len(g.Options) == 0 {
		return []button{{Act: ActApprove, Of: one.ID, Label: "Approve the plan…", Asks: true}}
	}
	for _, o := range g.Options {
		list = append(list, button{
			Act: ActRecover, Of: one.ID, Target: strconv.Itoa(g.Wave), Option: o.ID,
			Label: page.Plain(o.ID+": "+o.Text) + "…", Asks: true,
		})
	}
	return list
}

// afterwards returns the answers to a call that the guard denied or saved something from.
func (p *Place) afterwards(a *readmodel.Prevented, back string) (list []button) {
	if p.liftable(a) {
		list = append(list, button{Act: ActAllow, Of: a.Session, Target: a.Word, Label: "Allow once…", Asks: true})
	}
	if a.RescueRef != "" {
		list = append(list, p.restoring(a.Session, a.RescueRef)...)
	}
	return p.buttons(back, list...)
}

// restoring returns the answer that restores a snapshot, provided its folder is on the page's machine.
func (p *Place) restoring(session, ref string) []button {
	if !p.Machine {
		return nil
	}
	return []button{{Act: ActRestore, Of: session, Target: path.Base(ref), Label: "Restore…", Asks: true}}
}

// liftable reports whether a person can still let a denied call run.
func (p *Place) liftable(a *readmodel.Prevented) bool {
	return a.Outcome == sessionevents.GuardDenied && a.Word != "" && a.AllowedBy == "" && p.Now.Sub(a.At) < p.Lifting
}

// Answer is a person's decision: one of the acts with its target. Back is the view to return to.
type Answer struct{ Act, Of, Target, Option, Why, Back string }

// Question is what the page asks before an answer that takes a reason or cannot be undone.
type Question struct {
	Place
	Answer
	About   []string // what it is about and what happens then, one on each line
	Code    string   // what would run, or the files
	Problem string   // error of the last attempt
}

// words are the words of a question: its title, the consequences of the answer, the question itself, and
// the button.
type words struct {
	title, text, ask, label string
	bare                    bool // no reason is required
}

var asked = map[string]words{
	ActResume: {
		title: "Let it continue",
		text:  "It is halted. It continues once you give a reason.",
		ask:   "What has changed, for the record?",
		label: "Resume",
	},
	ActHalt: {
		title: "Halt it",
		text:  "No tool runs and every gate is closed until a person resumes it. The agent is asked to end its turn.",
		ask:   "Why, for the record?",
		label: "Halt",
	},
	ActDismiss: {
		title: "A false alarm",
		text:  "The agent's budget gets back what the word cost, and the rate of false alarms of its detector goes up.",
		ask:   "Why was it wrong, for the record?",
		label: "Dismiss",
	},
	ActMute: {
		title: "Not again here",
		text:  "The detector says nothing more about this in this session. For sessions to come: scaffoldwatch dismiss --never-here.",
		ask:   "Why, for the record?",
		label: "Mute",
	},
	ActApprove: {
		title: "Let it start",
		text:  "The gate opens and the next agents start. That cannot be undone.",
		ask:   "What did you check, for the record?",
		label: "Approve",
	},
	ActRecover: {
		title: "Recover the wave",
		text:  "An agent's branch has no commits, so the merge was denied. Your choice is final.",
		ask:   "Why this way, for the record?",
		label: "Recover so",
	},
	ActAllow: {
		title: "Allow it once",
		text:  "The command runs if the agent tries it again within ten minutes: this one, in this session, once. What it does cannot be undone.",
		ask:   "A remark for the record, if you like:",
		label: "Allow once",
		bare:  true,
	},
	ActRestore: {
		title: "Get it back",
		text:  "The files are written as they are in the snapshot. What is uncommitted now is kept in another snapshot first.",
		ask:   "A remark for the record, if you like:",
		label: "Restore",
		bare:  true,
	},
}

// Asks reports whether an act is preceded by a page of its own.
func Asks(act string) bool { _, asks := asked[act]; return asks }

// NeedsReason reports whether an act takes a reason.
func NeedsReason(act string) bool { w, asks := asked[act]; return asks && !w.bare }

// Home returns the address of the view to return to, which is one of ours whatever the form contained.
func (q *Question) Home() string {
	path := q.Back
	if strings.HasPrefix(path, "/sessions/") || strings.HasPrefix(path, "/runs/") || path == "/prevented" {
		return q.link(path)
	}
	return q.link("/")
}

// RenderQuestion writes the page that asks for a reason.
func RenderQuestion(w io.Writer, q Question) error {
	words := asked[q.Act]
	view := struct {
		Question
		Title, Text, Ask, Label, Return string
		Needed                          bool
	}{q, words.title, words.text, words.ask, words.label, q.Home(), !words.bare}
	for i, line := range view.About {
		view.About[i] = cutLine(line, needLimit)
	}
	return q.render(w, shell{view: viewNeeds, title: words.title}, "answer.gohtml", view)
}

// steering returns what a person can do about a run or session in progress.
func (p *Place) steering(id, back string, stopped bool) []button {
	if stopped {
		return nil
	}
	return p.buttons(back, button{Act: ActHalt, Of: id, Label: "Halt…", Asks: true})
}

// allowedBy describes how a denied call was let through.
func (p *Place) allowedBy(a *readmodel.Prevented) string {
	if a.AllowedBy == "" {
		return ""
	}
	return fmt.Sprintf("Allowed once by %s: tell the agent to try again.", page.Plain(a.AllowedBy))
}
