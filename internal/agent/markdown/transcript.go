package markdown

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// maxTurn limits the text of one turn (EV-3); a longer section is split.
const maxTurn = 2 << 20

// Transcript recognises and reads text. It accepts what no other format does, provided it is text.
var Transcript = transcript.Format{
	Name: Name, Title: "Markdown or plain text", Fallback: true,
	Signs:     `any text that no other format recognises`,
	Limits:    `each section of the assistant is a turn; text without speakers is one turn`,
	Recognise: recognise,
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{a: a, s: a.Main(), phrases: outcome.Default()}
	},
}

func recognise(h transcript.Head) int {
	if h.Structure != transcript.Text || !transcript.IsText(h.Bytes) || len(strings.TrimSpace(string(h.Bytes))) == 0 {
		return 0
	}
	text := strings.TrimSpace(string(h.Bytes))
	if strings.HasPrefix(text, `{"`) || strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		return 0 // damaged JSON, or JSON without its end
	}
	return 10
}

// Speakers of a section.
type speaker int

const (
	nobody speaker = iota // before the first label
	person
	assistant
	other // system, tool: ignored
)

// label matches a line that names the next speaker: "## User", "**Assistant:**", "Human: fix it". Group 1
// is the markup of a heading or of bold text.
var label = pattern.Must(`(?i)^\s{0,3}(#{1,6}\s+|\*\*|__)?\s*(?:[^\w\s]{1,4}\s+)?(user|human|you|me|assistant|ai|agent|claude|gpt|chatgpt|codex|gemini|copilot|bot|model|system|tool(?: result| output)?)\s*(?:\([^)]{0,60}\)\s*)?(:?)(\*\*|__)?(:?)\s*(.*)$`)

// spoken parses a label: who speaks, and what follows the label on its line.
func spoken(line string) (speaker, string, bool) {
	m := label.FindStringSubmatch(line)
	if m == nil {
		return nobody, "", false
	}
	heading := strings.HasPrefix(m[1], "#")
	bold := m[1] != "" && !heading && m[4] == strings.TrimSpace(m[1])
	colon := m[3] != "" || m[5] != ""
	switch {
	case heading && strings.TrimSpace(m[6]) == "":
	case bold && (colon || m[6] == ""):
	case m[1] == "" && m[4] == "" && colon && line[0] != ' ':
	default:
		return nobody, "", false
	}
	return who(strings.ToLower(m[2])), m[6], true
}

func who(name string) speaker {
	switch {
	case name == "user" || name == "human" || name == "you" || name == "me":
		return person
	case name == "system" || strings.HasPrefix(name, "tool"):
		return other
	}
	return assistant
}

type decoder struct {
	a       *transcript.Assembler
	s       *transcript.Session
	phrases *outcome.Phrases

	text   strings.Builder // text of the section being read
	now    speaker
	labels bool   // a label occurred: this is a conversation
	fence  string // the mark that opened a fenced block
	piece  bool   // the next record continues a line
}

// Record reads a line.
func (d *decoder) Record(r record.Record) error {
	line := string(r.Data)
	begins := !d.piece
	d.piece = !strings.HasSuffix(line, "\n")
	if begins && !d.fenced(line) {
		if next, rest, ok := spoken(strings.TrimRight(line, "\r\n")); ok {
			d.section(next)
			d.labels = true
			if rest != "" {
				d.text.WriteString(rest + "\n")
			}
			return nil
		}
	}
	if d.text.Len()+len(line) > maxTurn {
		d.section(d.now)
	}
	d.text.WriteString(line)
	return nil
}

// fenced follows fenced blocks, in which nothing is a label.
func (d *decoder) fenced(line string) bool {
	trimmed := strings.TrimLeft(line, " ")
	for _, mark := range []string{"```", "~~~"} {
		if !strings.HasPrefix(trimmed, mark) {
			continue
		}
		if d.fence == "" {
			d.fence = mark
		} else if d.fence == mark {
			d.fence = ""
		}
		return true
	}
	return d.fence != ""
}

// section ends the current section and begins one of the next speaker.
func (d *decoder) section(next speaker) {
	said := text.Valid(strings.Trim(d.text.String(), "\n"))
	d.text.Reset()
	speaks := d.now
	d.now = next
	if strings.TrimSpace(said) == "" {
		return
	}
	switch {
	case speaks == assistant, speaks == nobody && next == nobody && !d.labels:
		d.s.Markdown(said)
	case speaks == person:
		d.s.User(d.phrases.UserText(said), d.s.Last())
	}
}

// End completes the last section; text without any label is the agent's own.
func (d *decoder) End() { d.section(d.now) }
