package opinion

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Limits of the stored parts of an answer, in characters.
const (
	maxAnswer = 64 << 10
	maxWhy    = 300
	maxQuote  = 400
	maxQuotes = 5
	maxSay    = 300
	minQuote  = 10
)

// answered is the required form of an answer; other fields are dropped, so that there is
// no room for anything else.
type answered struct {
	Verdict     string   `json:"verdict"`
	WorthSaying string   `json:"worth_saying"`
	Why         string   `json:"why"`
	Quotes      []string `json:"quotes"`
	Findings    *[]struct {
		Class   string `json:"class"`
		Subject string `json:"subject"`
		Turn    int    `json:"turn"`
		Quote   string `json:"quote"`
		Say     string `json:"say"`
	} `json:"findings"`
}

// Answer reads a model's answer to a question. An answer without the required form, or
// with quotes that the question does not contain, is void, with the reason; the event is
// complete except for model and cost.
func (c *Config) Answer(q *Question, answer string) *sessionevents.OpinionRecorded {
	o := &sessionevents.OpinionRecorded{
		Session: q.Session, Run: q.Run, Question: q.ID(), Kind: q.Kind, Signal: q.Signal, Detector: q.Detector,
		From: q.From, Turn: q.Turn, PromptDigest: q.Prompt.Digest(), Bytes: len(q.Text),
	}
	read, err := form(answer)
	switch {
	case err != nil:
		o.Void = err.Error()
	case q.Kind == sessionevents.QuestionDigest:
		c.findings(o, q, read)
	default:
		verdict(o, q, read)
	}
	return o
}

// form parses the object in an answer: the whole answer, or the part between the first
// and the last brace.
func form(answer string) (*answered, error) {
	if len(answer) > maxAnswer {
		return nil, fmt.Errorf("the answer has %d bytes, the limit is %d", len(answer), maxAnswer)
	}
	begin, end := strings.Index(answer, "{"), strings.LastIndex(answer, "}")
	if begin < 0 || end < begin {
		return nil, fmt.Errorf("the answer holds no JSON object")
	}
	var read answered
	if err := json.Unmarshal([]byte(answer[begin:end+1]), &read); err != nil {
		return nil, fmt.Errorf("the answer does not have the form that was asked for")
	}
	return &read, nil
}

func verdict(o *sessionevents.OpinionRecorded, q *Question, read *answered) {
	v, worth := sessionevents.OpinionVerdict(word(read.Verdict)), sessionevents.WorthSaying(word(read.WorthSaying))
	switch {
	case !slices.Contains([]sessionevents.OpinionVerdict{sessionevents.OpinionConfirmed, sessionevents.OpinionRefuted, sessionevents.OpinionUnsure}, v):
		o.Void = "the verdict is neither confirmed nor refuted nor unsure"
		return
	case v == sessionevents.OpinionConfirmed && worth != sessionevents.WorthYes && worth != sessionevents.WorthNo:
		o.Void = "it is not said whether the finding is worth saying"
		return
	}
	o.Verdict, o.Why = v, short(read.Why, maxWhy)
	if worth == sessionevents.WorthYes || worth == sessionevents.WorthNo {
		o.WorthSaying = worth
	}
	for _, quoted := range read.Quotes[:min(len(read.Quotes), maxQuotes)] {
		o.Quotes = append(o.Quotes, short(quoted, maxQuote))
	}
	if v == sessionevents.OpinionUnsure {
		return
	}
	if len(read.Quotes) == 0 {
		o.Void = "nothing is quoted"
	}
	for _, quoted := range read.Quotes {
		if !q.Holds(quoted) {
			o.Void = "a quote does not occur in the question"
		}
	}
}

// findings keeps the findings that quote the question and name a class, subject and turn;
// if none is left, the answer is void.
func (c *Config) findings(o *sessionevents.OpinionRecorded, q *Question, read *answered) {
	if read.Findings == nil {
		o.Void = "the answer does not have the form that was asked for"
		return
	}
	for _, f := range *read.Findings {
		class := sessionevents.Class(strings.ToUpper(strings.TrimSpace(f.Class)))
		_, known := c.Findings.Classes[class]
		if !known || strings.TrimSpace(f.Subject) == "" || f.Turn < q.From || f.Turn > q.Turn || !q.Holds(f.Quote) {
			continue
		}
		if len(o.Findings) == c.Findings.PerOpinion {
			break
		}
		o.Findings = append(o.Findings, sessionevents.OpinionFinding{
			Class: class, Subject: short(f.Subject, maxQuote), Turn: f.Turn, Quote: short(f.Quote, maxQuote), Say: short(f.Say, maxSay),
		})
	}
	if len(*read.Findings) > 0 && len(o.Findings) == 0 {
		o.Void = "no finding has a class, a subject, a turn of the question and a quote from it"
	}
}

// Holds reports whether a passage occurs literally, except for white space, in the record
// shown by the question, and is long enough to be meaningful.
func (q *Question) Holds(passage string) bool {
	p := text.Line(passage)
	return utf8.RuneCountInString(p) >= minQuote && strings.Contains(text.Line(q.Text), p)
}

func word(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// short returns a model's text as valid UTF-8 with at most limit characters.
func short(s string, limit int) string { return text.Short(strings.TrimSpace(text.Valid(s)), limit) }
