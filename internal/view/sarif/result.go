package sarif

import (
	"cmp"
	"strings"

	format "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	queueLine = sessionevents.Urgency(20) // least urgency for the queue (DP-2)
	sureness  = 0.85
	// fingerprintName contains a version, which increases when the fingerprint is computed differently.
	fingerprintName = "scaffoldwatch/v1"
)

// result returns the result for a finding.
func (c *catalogue) result(f finding) *format.Result {
	r := format.NewResult()
	r.RuleID, r.RuleIndex = pointer(f.Detector), c.index[f.Detector]
	r.Level, r.Rank = level(f), rank(f.Urgency)
	r.Message = format.NewTextMessage(words(f))
	primary, related := places(f)
	r.Locations, r.RelatedLocations = append(r.Locations, primary), append(r.RelatedLocations, related...)
	r.CodeFlows = append(r.CodeFlows, codeFlows(f)...)
	r.PartialFingerprints = map[string]string{fingerprintName: f.fingerprint}
	r.OccurrenceCount = pointer(f.times)
	for _, number := range c.weaknesses(f) {
		r.Taxa = append(r.Taxa, c.weakness(number))
	}
	if f.suppressed != "" {
		s := format.NewSuppression()
		s.Kind, s.Status, s.Justification = pointer("external"), pointer("accepted"), pointer(page.Plain(f.suppressed))
		r.Suppressions = append(r.Suppressions, s)
	}
	r.Properties = format.NewPropertyBag().
		Add("session", f.session).Add("turn", f.Turn).Add("signal", f.Signal).Add("urgency", f.Urgency).
		Add("confidence", f.Confidence).Add("reworkCost", f.ReworkCost).Add("end", f.End)
	if f.Fix != "" {
		r.Properties.Add("fix", page.Plain(f.Fix))
	}
	return r
}

// weaknesses returns the weakness that the finding names, or else those of its rule.
func (c *catalogue) weaknesses(f finding) []int {
	if f.CWE > 0 {
		return []int{f.CWE}
	}
	return c.rules[c.index[f.Detector]].CWE
}

func words(f finding) string {
	text := cmp.Or(f.Message, f.Detector+" "+f.Subject)
	if f.Why != "" {
		text += " " + f.Why
	}
	return linkless(text)
}

// linkless removes from untrusted text what viewers turn into links even in plain text: [text](target).
func linkless(text string) string { return strings.ReplaceAll(page.Plain(text), "](", "] (") }

// level returns the level of a finding: what was said or is certainly a danger, what was worth the queue,
// and the rest.
func level(f finding) string {
	switch {
	case f.End == "fired", f.Class == sessionevents.ClassB && f.Confidence > sureness:
		return format.LevelError
	case f.Urgency >= queueLine:
		return format.LevelWarning
	}
	return format.LevelNote
}

// rank returns the urgency, at most 5.0, as 0–100.
func rank(u sessionevents.Urgency) float64 {
	return float64(min(max(u, 0), 50)) * 2
}
