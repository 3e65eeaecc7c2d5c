package settle

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// explain adds the rule data's explanation of a trigger.
func (t *settlement) explain(request *runevents.WiggumBreak) {
	about := t.Breaks[string(request.Trigger)]
	if about.Cause != "" {
		request.Reason = Sentence(request.Reason) + " " + about.Cause
	}
	if request.Present == "" {
		request.Present = t.present(about.Present)
	}
	for _, o := range about.Options {
		if !slices.ContainsFunc(request.Options, func(known runevents.Option) bool { return known.ID == o.ID }) {
			request.Options = append(request.Options, runevents.Option{ID: o.ID, Text: o.Text, Tradeoff: o.Tradeoff})
		}
	}
}

// present returns what to show a person: the best result so far, or that the run
// needs another approach.
func (t *settlement) present(what string) string {
	switch what {
	case "best":
		return strings.ReplaceAll(t.Present.Best, "{result}", t.facts.Best())
	case "approach":
		return t.Present.Approach
	}
	return ""
}

// report raises one escalation for a break. If the layer that requested the break
// escalates by itself, with the options it knows, that escalation is the report.
// The report of an upgraded break is closed.
func (t *settlement) report(subject string, data *runevents.WiggumBreak, id string, all []run.Conclusion) {
	s := t.state
	layer := t.Breaks[string(data.Trigger)].Layer
	for i := range all {
		own, is := all[i].Data.(*runevents.EscalationRaised)
		if is && own.Layer == layer && len(own.Options) > 0 && !t.alreadyRaised(own, id) {
			t.raise(t.subject(all[i].Subject), own, id)
			all[i].Data = nil
		}
	}
	if slices.ContainsFunc(s.Escalations, func(e Escalation) bool { return e.Break == id }) {
		return
	}
	text := Sentence(data.Reason)
	if data.Present != "" {
		text += " " + Sentence(data.Present)
	}
	if strings.Contains(data.Present, data.Reason) {
		text = Sentence(data.Present)
	}
	t.raise(subject, &runevents.EscalationRaised{
		Layer: layer, Issue: "break/" + string(data.Trigger), To: runevents.RecipientUser, Text: text, Options: slices.Clone(data.Options),
		Run: s.Run, Session: data.Session,
	}, id)
}

// alreadyRaised reports whether an escalation of this event is open; it becomes the
// report of the break.
func (t *settlement) alreadyRaised(own *runevents.EscalationRaised, id string) bool {
	for i := range t.state.Escalations {
		if e := &t.state.Escalations[i]; e.Issue == own.Issue && e.Layer == own.Layer && slices.Contains(t.ids, e.ID) {
			t.take(reported{escalation: e.ID, broken: id})
			return true
		}
	}
	return false
}
