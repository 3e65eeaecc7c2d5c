package sessionreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
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
	// Answers are the latest, in the order recorded.
	Answers []Answer `json:"answers"`
}

// Answer is what a model was asked and answered.
type Answer struct {
	Turn     int                          `json:"turn"`           // last turn that it was shown
	From     int                          `json:"from,omitempty"` // first one, of a question about new turns
	Question string                       `json:"question"`       // its id: advisor questions SESSION prints it
	Signal   string                       `json:"signal,omitempty"`
	Detector string                       `json:"detector,omitempty"`
	Model    string                       `json:"model"`
	Verdict  sessionevents.OpinionVerdict `json:"verdict,omitempty"`
	Worth    sessionevents.WorthSaying    `json:"worth_saying,omitempty"`
	Why      string                       `json:"why,omitempty"`
	Void     string                       `json:"void,omitempty"` // why it does not count
	Findings []string                     `json:"findings,omitempty"`
	Cost     sessionevents.Money          `json:"cost"`
}

// maxAnswers is how many answers a report holds.
const maxAnswers = 200

// answerOf returns the parts of an answer that a reader needs.
func answerOf(d *sessionevents.OpinionRecorded) Answer {
	a := Answer{
		Turn: d.Turn, Question: d.Question, Signal: d.Signal, Detector: d.Detector, Model: d.Model, Verdict: d.Verdict,
		Worth: d.WorthSaying, Why: d.Why, Void: d.Void, Cost: d.Cost,
	}
	if d.Kind == sessionevents.QuestionDigest {
		a.From = d.From
	}
	for _, f := range d.Findings {
		a.Findings = append(a.Findings, f.Say)
	}
	return a
}

// About is what was asked, in words.
func (a Answer) About() string {
	if a.Signal == "" {
		if a.From == 0 || a.From == a.Turn {
			return fmt.Sprintf("what is new in turn %d", a.Turn)
		}
		return fmt.Sprintf("what is new in turns %d to %d", a.From, a.Turn)
	}
	return a.Detector + ", as of turn " + fmt.Sprint(a.Turn)
}

// Says returns the answer in words, with the model's sentence.
func (a Answer) Says() string {
	text := ""
	switch {
	case a.Void != "":
		return "does not count: " + a.Void
	case a.Signal == "" && len(a.Findings) == 0:
		return "nothing to report"
	case a.Signal == "":
		return "found: " + strings.Join(a.Findings, " ")
	case a.Verdict == sessionevents.OpinionConfirmed && a.Worth == sessionevents.WorthNo:
		text = "right, but not worth an interrupt"
	default:
		text = string(a.Verdict)
	}
	if a.Why != "" {
		text += ": " + a.Why
	}
	return text
}

// Price returns what the answer cost, "" if it was free or is unknown.
func (a Answer) Price() string {
	if a.Cost <= 0 {
		return ""
	}
	return "$" + cents(a.Cost)
}

// opined counts an answer.
func (f notes) opined(d *sessionevents.OpinionRecorded) {
	if f.opinions == nil {
		f.opinions = &Opinions{}
	}
	o := f.opinions
	if !slices.Contains(o.Models, d.Model) {
		o.Models = append(o.Models, d.Model)
	}
	o.Questions++
	o.Answers = text.Newest(append(o.Answers, answerOf(d)), maxAnswers)
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

// Text returns a summary in one line: "second opinion by MODEL: 6 questions, 2 refuted, $0.02".
func (o *Opinions) Text() string {
	names := make([]string, 0, len(o.Models))
	for _, name := range o.Models {
		names = append(names, page.Plain(name))
	}
	parts := []string{page.Plural(o.Questions, "question")}
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

// cents formats an amount with two decimals, rounded up, so that a paid answer never shows as free.
func cents(m sessionevents.Money) string {
	step := sessionevents.DollarMicros / 100
	n := (m + step - 1) / step
	return fmt.Sprintf("%d.%02d", n/100, n%100)
}
