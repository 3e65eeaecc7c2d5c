package readmodel

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// opined counts what a model was asked, how it answered and what that cost, by day and model (AD-5).
func (b findings) opined(ev events.Event, d *sessionevents.OpinionRecorded) error {
	if _, err := b.session(ev, d.Session); err != nil {
		return err
	}
	name, err := b.name(kindOpinion, d.Model)
	if err != nil {
		return err
	}
	add := func(what string, n int) {
		b.count(b.dayNow(), kindOpinion, name, what, n)
	}
	add("questions", 1)
	add("tokens", d.Tokens.In+d.Tokens.Out)
	add("cost_micros", int(d.Cost))
	switch {
	case d.Void != "":
		add("void", 1)
	case d.Kind == sessionevents.QuestionDigest:
		add("findings", len(d.Findings))
	case d.Verdict == sessionevents.OpinionConfirmed && d.WorthSaying == sessionevents.WorthNo:
		add("not_worth_saying", 1)
	default:
		add(string(d.Verdict), 1)
	}
	return nil
}
