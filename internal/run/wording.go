package run

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// worded makes the text of a conclusion safe to show: rules quote agents, tools and
// repositories (DP-20).
func worded(conclusion any) {
	for _, text := range texts(conclusion) {
		lines := strings.Split(*text, "\n") // a question to a person may have several lines
		for i := range lines {
			lines[i] = quote.Line(lines[i])
		}
		*text = strings.Join(lines, "\n")
	}
}

// texts returns the texts of a conclusion that people and agents read.
func texts(conclusion any) []*string {
	switch d := conclusion.(type) {
	case *runevents.ViolationDetected:
		return []*string{&d.What}
	case *runevents.WarningIssued:
		return []*string{&d.What}
	case *runevents.GateDecided:
		return []*string{&d.Why}
	case *runevents.WiggumBreak:
		return append(answers(d.Options), &d.Reason, &d.Present)
	case *runevents.EscalationRaised:
		return append(answers(d.Options), &d.Text)
	case *runevents.ClarificationRequested:
		return append(answers(d.Options), &d.Question)
	case *runevents.CorrectionIssued:
		return []*string{&d.Text, &d.Reason}
	case *runevents.PolicyCheckpoint:
		return []*string{&d.Why}
	case *runevents.HaltIgnored:
		return []*string{&d.Reason}
	case *sessionevents.InterruptFired:
		return []*string{&d.Message, &d.Reason}
	case *sessionevents.Signal:
		return []*string{&d.Message, &d.Reason}
	}
	return nil
}

// answers returns the texts of the answers that a person can choose from.
func answers(options []runevents.Option) []*string {
	var out []*string
	for i := range options {
		o := &options[i]
		out = append(out, &o.Text, &o.Evidence, &o.Effect, &o.Tradeoff)
	}
	return out
}
