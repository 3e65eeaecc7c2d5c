package sessionreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Opinions are what models answered about a session (AD-5).
type Opinions struct {
	Models    []string            `json:"models"`
	Questions int                 `json:"questions"`
	Confirmed int                 `json:"confirmed"`
	Refuted   int                 `json:"refuted"`
	NotWorth  int                 `json:"not_worth_saying"` // right, but no reason to interrupt
	Unsure    int                 `json:"unsure"`
	Void      int                 `json:"void"`
	Findings  int                 `json:"findings"`
	Tokens    int                 `json:"tokens"`
	Cost      sessionevents.Money `json:"cost"` // US dollars
}

// opined counts an answer.
func (f *Fold) opined(d *sessionevents.OpinionRecorded) {
	if f.opinions == nil {
		f.opinions = &Opinions{}
	}
	o := f.opinions
	if !slices.Contains(o.Models, d.Model) {
		o.Models = append(o.Models, d.Model)
	}
	o.Questions++
	o.Tokens += d.Tokens.In + d.Tokens.Out
	o.Cost += d.Cost
	switch {
	case d.Void != "":
		o.Void++
	case d.Kind == sessionevents.QuestionDigest:
		o.Findings += len(d.Findings)
	case d.Verdict == sessionevents.OpinionRefuted:
		o.Refuted++
		f.moment(d.Turn, "second opinion", "refuted: "+d.Why)
	case d.Verdict == sessionevents.OpinionConfirmed && d.WorthSaying == sessionevents.WorthNo:
		o.NotWorth++
		f.moment(d.Turn, "second opinion", "not worth saying: "+d.Why)
	case d.Verdict == sessionevents.OpinionConfirmed:
		o.Confirmed++
	default:
		o.Unsure++
	}
}

// Text is all of it in one line: "second opinion by MODEL: 6 questions, 2 refuted, $0.02".
func (o *Opinions) Text() string {
	names := make([]string, 0, len(o.Models))
	for _, name := range o.Models {
		names = append(names, page.Plain(name))
	}
	parts := []string{page.Plural(o.Questions, "question", "questions")}
	for _, p := range []struct {
		n    int
		what string
	}{{o.Confirmed, "confirmed"}, {o.Refuted, "refuted"}, {o.NotWorth, "not worth saying"}, {o.Unsure, "unsure"}, {o.Void, "void"}, {o.Findings, "found"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return "second opinion by " + strings.Join(names, ", ") + ": " + strings.Join(append(parts, "$"+cents(o.Cost)), ", ")
}

// cents is an amount to two decimals, rounded up, so that what was paid for is never nothing.
func cents(m sessionevents.Money) string {
	step := sessionevents.DollarMicros / 100
	n := (m + step - 1) / step
	return fmt.Sprintf("%d.%02d", n/100, n%100)
}

func (p *markdown) opinions(m Model) {
	if m.Opinions != nil {
		p.paragraph("S%s", page.Inline(strings.TrimPrefix(m.Opinions.Text(), "s")))
	}
}

func (s *screen) opinions(m Model) {
	if m.Opinions != nil {
		s.Line("", m.Opinions.Text(), s.Style.Muted)
	}
}
