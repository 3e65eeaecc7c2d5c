package featurecreep

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// questions is the part questions of the rule data, which explains each value. It reads whether a message
// asks or orders.
type questions struct {
	Words       int             `yaml:"words" range:"1..1000"`
	RemarkWords int             `yaml:"remark_words" range:"0..100"`
	AfterWords  int             `yaml:"after_words" range:"0..100"`
	Fillers     *pattern.Regexp `yaml:"fillers" pattern:"fold,begin,long"`
	Inquiries   *pattern.Regexp `yaml:"inquiries" pattern:"fold,long"`
	States      *pattern.Regexp `yaml:"states" pattern:"fold,long"`
	Answers     *pattern.Regexp `yaml:"answers" pattern:"fold,long"`
	Faults      *pattern.Regexp `yaml:"faults" pattern:"fold,long"`
	Suggestions *pattern.Regexp `yaml:"suggestions" pattern:"fold,long"`
	Orders      *pattern.Regexp `yaml:"orders" pattern:"fold,long"`
	Wishes      *pattern.Regexp `yaml:"wishes" pattern:"fold,long"`
	AlsoOrders  *pattern.Regexp `yaml:"also_orders" pattern:"fold,long"`
}

// Kinds of messages. The zero value is an order, or anything that may be one.
const (
	ordering  = ""
	inquiring = "inquiry" // asks for an answer or an opinion
	wondering = "state"   // asks for a yes or a reason, which may imply a wish
	remarking = "remark"
	wishing   = "wish"   // an order, unless a question follows
	limiting  = "answer" // limits a question to an answer
)

// asking is a message that asks and orders nothing.
type asking struct {
	Kind  string `json:"k,omitempty"`
	Quote string `json:"q,omitempty"`
	Turn  int    `json:"n,omitempty"`
	// Reported are the kinds of acts that were reported for it.
	Reported []string `json:"r,omitempty"`
}

// read classifies a message. Quote is its last question.
func (q *questions) read(text string) (kind, quote string) {
	words := len(strings.Fields(text))
	if words == 0 || words > q.Words {
		return ordering, ""
	}
	after, wished, limited := 0, false, false
	for _, sentence := range statements(text) {
		switch is := q.sentence(sentence); is {
		case ordering:
			return ordering, ""
		case wishing:
			wished, after = true, after+len(strings.Fields(sentence))
		case limiting:
			limited = true
		case remarking:
			after += len(strings.Fields(sentence))
		default:
			if kind != inquiring {
				kind = is
			}
			quote, after = sentence, 0
		}
	}
	switch {
	case kind == "" && !wished && words <= q.RemarkWords && !q.Faults.MatchString(text):
		return remarking, ""
	case kind == "" || after > q.AfterWords || wished && kind != inquiring:
		return ordering, ""
	case wished, q.Faults.MatchString(text) && !limited:
		kind = wondering
	}
	return kind, quote
}

// statements returns the sentences of a message, including those that begin with a
// lower-case letter.
func statements(text string) []string {
	var out []string
	for _, s := range prose.Sentences(text) {
		rest := s.Text
		for {
			at := nextStatement.FindStringIndex(rest)
			if at == nil {
				break
			}
			out = append(out, rest[:at[0]+1])
			rest = rest[at[1]:]
		}
		if rest != "" {
			out = append(out, rest)
		}
	}
	return out
}

var nextStatement = pattern.Must(`[.!?]\s+`)

// sentence classifies one sentence.
func (q *questions) sentence(text string) string {
	bare := q.Fillers.ReplaceAllString(text, "")
	switch {
	case q.Answers.MatchString(bare):
		return limiting
	case q.AlsoOrders.MatchString(bare):
		return ordering
	case q.Inquiries.MatchString(bare) && !strings.Contains(bare, "??"):
		return inquiring
	case q.Suggestions.MatchString(bare):
		return ordering
	case q.States.MatchString(bare):
		return wondering
	case q.Orders.MatchString(bare):
		return ordering
	case strings.HasSuffix(strings.TrimSpace(bare), "?"):
		return wondering
	case q.Wishes.MatchString(bare):
		return wishing
	}
	return remarking
}

// noteMessage records which question is in effect: the newest message, unless it is a
// mere remark. A question in the middle of the work does not end the order before it.
func (x *answers) noteMessage() {
	said := false
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		switch {
		case s.Kind == sessionevents.SegmentUser && strings.TrimSpace(s.Text) != "":
			x.heard(s.Text, x.Turn.Turn, said)
			said = true
		case s.Tool != nil && !s.Rejected && contains(x.ApprovalTools, s.Tool.Name):
			x.memory.Asking = asking{} // what was proposed to the user and accepted is an order
		}
	}
}

// heard records one message; together reports whether another one of the turn preceded
// it.
func (x *answers) heard(text string, turn int, together bool) {
	kind, quote := x.Questions.read(text)
	if x.memory.Order = (asking{}); kind == ordering && len(strings.Fields(text)) <= x.Questions.RemarkWords+excerptWords {
		x.memory.Order = asking{Quote: detect.Quote(text), Turn: turn}
	}
	switch {
	case x.person.Consents(text) && kind != inquiring, kind == ordering, together && x.memory.Asking.Kind == ordering, x.memory.Working:
		x.memory.Asking = asking{}
	case kind == remarking:
	default:
		x.memory.Asking = asking{Kind: kind, Quote: detect.Quote(quote), Turn: turn}
	}
}

// noteWork records whether the response continues: a call was made and not refused.
func (m *memory) noteWork(p *detect.Pass) {
	m.Working = false
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Tool == nil {
			continue
		}
		if m.Working = !s.Rejected; !m.Working {
			return
		}
	}
}
