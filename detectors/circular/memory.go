package circular

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// memory is C3's state of a session.
type memory struct {
	Questions []question `json:"q,omitempty"` // the one raised longest ago first
	// News is the last turn with an error, a test result, a person's message or the first
	// read of a file.
	News int `json:"n,omitempty"`
	// Ran is the last turn with a run, an error or a person's message.
	Ran      int      `json:"r,omitempty"`
	Planned  int      `json:"p,omitempty"` // last turn with a long plan
	Findings []cause  `json:"f,omitempty"`
	Results  []result `json:"s,omitempty"` // newest last
}

// question is something that was asked, reconsidered, decided or declared closed.
type question struct {
	Terms []string `json:"t,omitempty"` // stems of its subject
	Names []string `json:"m,omitempty"` // identifiers in it
	Topic []string `json:"p,omitempty"` // of a decision, stems of its topic
	Text  string   `json:"x"`           // for people
	First int      `json:"f"`           // turn in which it came up
	Last  int      `json:"l"`           // turn in which it was last raised
	Count int      `json:"c,omitempty"` // recurrences without news
	// Informed is set if there was news about it since it was last raised.
	Informed bool `json:"i,omitempty"`
	Closed   bool `json:"d,omitempty"` // decided, or declared closed
	// Choices are the choices made, in order, as sorted stems; Held is the wording of the
	// last one, which is in effect.
	Choices [][]string `json:"h,omitempty"`
	Held    string     `json:"e,omitempty"`
}

// begin applies a turn's continuity: a rewind undoes earlier questions, a compaction
// makes the agent forget them (SW-1a).
func (m *memory) begin(p *detect.Pass) {
	c := p.Turn.Continuity
	if c == nil {
		return
	}
	if c.Fork {
		*m = memory{}
	}
	if c.Compacted {
		m.inform(func(*question) bool { return true })
		m.informFindings(func(*cause) bool { return true })
	}
}

// inform marks the questions that there is news about.
func (m *memory) inform(about func(*question) bool) {
	for i := range m.Questions {
		q := &m.Questions[i]
		q.Informed = q.Informed || about(q)
	}
}

// touch makes a question the newest of the list and returns it.
func (m *memory) touch(at int) *question {
	q := m.Questions[at]
	m.Questions = append(slices.Delete(m.Questions, at, at+1), q)
	return &m.Questions[len(m.Questions)-1]
}

// lastChoice returns the question that was decided last, -1 if there is none.
func (m *memory) lastChoice() int {
	for i := len(m.Questions) - 1; i >= 0; i-- {
		if len(m.Questions[i].Choices) > 0 {
			return i
		}
	}
	return -1
}

// add stores a new question.
func (m *memory) add(q question) *question {
	m.Questions = append(m.Questions, q)
	return &m.Questions[len(m.Questions)-1]
}

// bound keeps the newest questions (SW-10).
func (m *memory) bound(limit int) {
	m.Questions = text.Newest(m.Questions, limit)
}
