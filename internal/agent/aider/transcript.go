package aider

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxText limits how much of a response is held at once (EV-3).
const maxText = 2 << 20

// Transcript recognises and reads aider's chat history.
var Transcript = transcript.Format{
	Name: Name, Title: "aider chat history (Markdown)", Text: true,
	Signs: "`# aider chat started at …` with lines `####` or quoted lines of aider",
	Limits: "0.50 to 0.86; each chat of the file is a session; edits that aider applied and commands that it " +
		"ran are calls, without their output",
	Recognise: recognise,
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{a: a, phrases: outcome.Default()}
	},
}

var (
	started = pattern.Must(`^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$`)
	begins  = pattern.Must(`(?m)^# aider chat started at \d{4}-\d\d-\d\d`)
	asks    = pattern.Must(`(?m)^#### \S`)
	says    = pattern.Must(`(?m)^> (?:Aider v|Main model|Model: |Git repo|Repo-map|Tokens: |Applied edit to )`)
	tokens  = pattern.Must(`^Tokens: ([\d.,]+)(k?) sent(?:, [^,]* cache[^,]*)*, ([\d.,]+)(k?) received`)
	runs    = pattern.Must(`^/(run|test|lint|git)\b`)
	toModel = pattern.Must(`^/(?:ask|code|architect|context)\s+`)
)

func recognise(h transcript.Head) int {
	if len(h.Bytes) == 0 || h.Bytes[0] == '{' || !transcript.IsText(h.Bytes) {
		return 0
	}
	text := string(h.Bytes)
	if begins.MatchString(text) && (asks.MatchString(text) || says.MatchString(text)) {
		return 98
	}
	return 0
}

// edit is a block that the model proposes, until aider reports that it was applied.
type edit struct{ path, old, now string }

type decoder struct {
	a       *transcript.Assembler
	s       *transcript.Session
	phrases *outcome.Phrases

	person, text strings.Builder
	edits        []edit
	calls        int
	acted        bool
	fence        string
	piece        bool
}

// Record reads a line.
func (d *decoder) Record(r record.Record) error {
	line := string(r.Data)
	first := !d.piece
	d.piece = !strings.HasSuffix(line, "\n")
	line = strings.TrimRight(line, "\r\n")
	if d.s == nil {
		d.s = d.a.Main()
	}
	m := started.FindStringSubmatch(line)
	switch {
	case first && m != nil:
		d.chat(m[1])
	case first && d.fence == "" && (strings.HasPrefix(line, "#### ") || line == "####"):
		d.response()
		d.person.WriteString(strings.TrimSpace(strings.TrimPrefix(line, "####")) + "\n")
	case first && d.fence == "" && strings.HasPrefix(line, "> ") && strings.HasSuffix(line, "  "):
		d.own(strings.TrimSpace(line[2:]))
	default:
		if strings.HasPrefix(line, "```") {
			if d.fence == "" {
				d.fence = "```"
			} else {
				d.fence = ""
			}
		}
		if strings.TrimSpace(line) != "" {
			d.asked()
		}
		if d.text.Len()+len(line) > maxText {
			d.response()
		}
		d.text.WriteString(line + "\n")
	}
	return nil
}

// End completes the last message.
func (d *decoder) End() {
	if d.s != nil {
		d.asked()
		d.response()
	}
}

// chat begins a session.
func (d *decoder) chat(at string) {
	d.asked()
	d.response()
	d.s.Flush()
	d.fence, d.edits, d.acted = "", nil, false
	d.s = d.a.Session("aider-" + strings.NewReplacer(" ", "-", ":", "-").Replace(at))
	if when, err := time.Parse(time.DateTime, at); err == nil {
		d.s.Saw(when)
	}
}

// asked adds what the person wrote, except for commands to aider itself.
func (d *decoder) asked() {
	text := strings.TrimSpace(d.person.String())
	d.person.Reset()
	if m := runs.FindStringSubmatch(text); m != nil { // run by the person; its output is not in the history
		d.s.Unsupported(sessionevents.UnsupportedResult, m[1])
	}
	if text = toModel.ReplaceAllString(text, ""); text != "" && !strings.HasPrefix(text, "/") {
		d.s.User(d.phrases.UserText(text), d.s.Last())
	}
}

// response adds what the model wrote.
func (d *decoder) response() {
	text := strings.TrimSpace(d.text.String())
	d.text.Reset()
	if text == "" {
		return
	}
	d.begin()
	d.s.Text(text)
	d.edits = append(d.edits, proposed(text)...)
}

func (d *decoder) begin() {
	if d.acted || d.s.HasPending() || d.s.Current() == "" {
		d.s.Begin("", d.s.Last())
		d.acted = false
	}
}

// own reads a line from aider: what it applied, ran, and counted.
func (d *decoder) own(line string) {
	d.asked()
	d.response()
	switch file, applied := strings.CutPrefix(line, "Applied edit to "); {
	case applied:
		d.applied(file)
	case strings.HasPrefix(line, "Running "):
		d.call("shell", map[string]string{"command": strings.TrimPrefix(line, "Running ")})
	case strings.HasPrefix(line, "Tokens: "):
		if m := tokens.FindStringSubmatch(line); m != nil {
			d.s.Usage(&sessionevents.Usage{InputTokens: number(m[1], m[2]), OutputTokens: number(m[3], m[4])})
		}
	case line == "^C KeyboardInterrupt", line == "^C again to exit":
		d.s.Stop("interrupted")
	}
}

func number(digits, unit string) int64 {
	n, err := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64)
	if err != nil || n < 0 || n > 1e9 {
		return 0
	}
	if unit == "k" {
		n *= 1000
	}
	return int64(n)
}

// applied adds the edits to a file that the model proposed; of a file written as a whole only the name is
// known.
func (d *decoder) applied(file string) {
	kept, found := d.edits[:0], false
	for _, e := range d.edits {
		if e.path != file {
			kept = append(kept, e)
			continue
		}
		found = true
		d.call("replace_in_file", map[string]string{"path": file, "old_string": e.old, "new_string": e.now})
	}
	d.edits = kept
	if !found {
		d.call("edit_file", map[string]string{"path": file})
	}
}

func (d *decoder) call(name string, input map[string]string) {
	data, err := json.Marshal(input)
	if err != nil {
		return
	}
	if d.s.Current() == "" {
		d.begin()
	}
	d.calls++
	id := "call-" + strconv.Itoa(d.calls)
	d.s.Call(id, name, data)
	d.s.Add(sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id})
	d.acted = true
}

// proposed returns the search and replace blocks in a text, each with the file named before it.
func proposed(text string) (list []edit) {
	var e *edit
	part, file := "", ""
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "<<<<<<< SEARCH"):
			e, part = &edit{path: file}, "old"
		case e != nil && part == "old" && strings.HasPrefix(line, "======="):
			part = "new"
		case e != nil && strings.HasPrefix(line, ">>>>>>> REPLACE"):
			if list = append(list, *e); len(list) >= 500 {
				return list
			}
			e, part = nil, ""
		case part == "old":
			e.old += line + "\n"
		case part == "new":
			e.now += line + "\n"
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "```"):
			file = strings.Trim(strings.TrimSpace(line), "`*:#")
			file = strings.TrimSpace(file)
		}
	}
	return list
}
