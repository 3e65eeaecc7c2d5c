package destructiveact

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// finding returns the finding about a loss.
func (j *judgement) finding(l *loss) detect.Finding {
	of := strings.Join(shown(l.of), ", ")
	subject := strings.Join(l.of[:min(len(l.of), 3)], ", ")
	if subject == "" {
		subject = l.act.Command
	}
	lost := l.what
	if of != "" {
		lost += " (" + of + ")"
	}
	message := l.act.Shown() + verb(l.act) + lost + ": " + l.why + ". " + wayBack(l)
	if l.told != "" && l.told[0] != ':' { // after a colon there is only the reason
		message = l.act.Shown() + strings.Replace(l.told, " would destroy", " destroys", 1) + ". " + wayBack(l)
	}
	reason := "The act was not asked for; " + l.why + "."
	if l.asked {
		reason = "The push was asked for, but " + l.why + "."
	}
	return detect.Finding{
		Subclass: string(l.act.Kind), Subject: subject, Confidence: l.confidence, ReworkCost: l.cost, SelfCorrect: selfCorrect,
		Evidence: []sessionevents.Evidence{j.evidence(l)},
		Message:  message,
		Reason:   reason,
	}
}

// verb returns what an act does to what may be missed.
func verb(a *destruct.Act) string {
	switch {
	case a.Weight == destruct.Aside:
		return " puts away "
	case a.Kind == destruct.Processes:
		return " ends "
	case a.Kind == destruct.Published:
		return " publishes "
	case a.Overwrites, a.Kind == destruct.Settings:
		return " replaces "
	}
	return " destroys "
}

// evidence returns the command, or the whole call if it does not occur as written.
func (j *judgement) evidence(l *loss) sessionevents.Evidence {
	e := detect.Whole(j.segment)
	if text := detect.Text(j.segment); text != "" {
		if at := strings.Index(text, l.act.Command); at >= 0 {
			e = detect.At(j.segment, at, len(l.act.Command))
		}
	}
	if len(l.of) > 0 && l.act.Kind == destruct.Files {
		e.Path = l.of[0]
	}
	return e
}

// maxShown bounds the names in a message.
const maxShown = 3

func shown(names []string) []string {
	var out []string
	for _, n := range names[:min(len(names), maxShown)] {
		out = append(out, quote.Path(n))
	}
	if more := len(names) - maxShown; more > 0 {
		out = append(out, strconv.Itoa(more)+" more")
	}
	return out
}

// wayBack returns what to do now.
func wayBack(l *loss) string {
	switch {
	case l.act.Takes:
		return "Take them out again, or tell the person."
	case l.act.Changes:
		return "Tell the person, and work in your own worktree."
	case l.act.Weight == destruct.Aside:
		return "Bring them back with git stash pop."
	case l.act.Kind == destruct.Published:
		return "Tell the person, and ask before the next one."
	case l.act.Kind == destruct.Worktree:
		return "Tell the person what is lost, before the next step."
	case l.act.Kind == destruct.Settings:
		return "Tell the person; git -c sets it for one command."
	case l.outside:
	case l.act.Kind == destruct.Files && (l.act.Rule == "remove" || l.act.Overwrites):
		return "Restore it if you can, else tell the person."
	case l.act.Back != "":
		return "The way back is " + l.act.Back + "; tell the person."
	}
	return "Tell the person now."
}
