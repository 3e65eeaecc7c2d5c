package opinion

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// lengths holds how much of each part of a turn is shown, in bytes.
type lengths struct{ words, call, result, person int }

// turnText renders a turn for a question.
func turnText(t *sessionevents.TurnSegmented, l lengths) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- turn %d\n", t.Turn)
	for i := range t.Segments {
		s := &t.Segments[i]
		if s.Kind == sessionevents.SegmentError && i > 0 && sameCall(s, &t.Segments[i-1]) {
			continue // the failure of the previous call, which already shows it
		}
		segmentText(&b, s, l)
	}
	return b.String()
}

func sameCall(a, b *sessionevents.Segment) bool {
	return a.Tool != nil && b.Tool != nil && a.Tool.CallID != "" && a.Tool.CallID == b.Tool.CallID && b.Result != nil
}

func segmentText(b *strings.Builder, s *sessionevents.Segment, l lengths) {
	switch s.Kind {
	case sessionevents.SegmentUser:
		line(b, "PERSON: ", shown(s.Text, l.person))
	case sessionevents.SegmentPlan:
		who := "AGENT: "
		if s.Thinking {
			who = "AGENT THINKS: "
		}
		line(b, who, shown(s.Text, l.words))
	case sessionevents.SegmentDiff:
		line(b, edited(s), shown(hunks(s.Diff), l.call))
		result(b, s, l)
	case sessionevents.SegmentTodo:
		line(b, "TODO: ", shown(todo(s.Todo), l.call))
	case sessionevents.SegmentTool, sessionevents.SegmentError:
		if s.Tool != nil {
			line(b, "CALL "+s.Tool.Name+": ", shown(call(s.Tool), l.call))
		} else if s.Text != "" {
			line(b, "ERROR: ", shown(s.Text, l.result))
		}
		if s.Rejected {
			b.WriteString("RESULT: the call was refused and did not run\n")
			return
		}
		result(b, s, l)
	}
}

func line(b *strings.Builder, who, text string) {
	if text = strings.TrimSpace(text); text != "" {
		b.WriteString(who + text + "\n")
	}
}

func call(t *sessionevents.ToolCall) string {
	if t.Command != "" {
		return t.Command
	}
	return compact(t.Input)
}

// compact writes JSON for a model to read, without unnecessary escapes.
func compact(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return string(raw)
	}
	return strings.TrimSpace(b.String())
}

func edited(s *sessionevents.Segment) string {
	verb := "EDIT "
	switch {
	case s.Proposed:
		verb = "PROPOSED EDIT "
	case s.Rejected:
		verb = "REFUSED EDIT "
	case s.Diff != nil && s.Diff.Failed:
		verb = "FAILED EDIT "
	case s.Diff != nil && s.Diff.Op != "":
		verb = strings.ToUpper(string(s.Diff.Op)) + " "
	}
	return verb + s.Path + ":\n"
}

func hunks(d *sessionevents.Diff) string {
	if d == nil {
		return ""
	}
	var b strings.Builder
	for _, h := range d.Hunks {
		if h.NewStart > 0 {
			fmt.Fprintf(&b, "@@ line %d\n", h.NewStart)
		}
		for _, l := range h.Lines {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

func todo(items []sessionevents.TodoItem) string {
	parts := make([]string, 0, len(items))
	for _, i := range items {
		parts = append(parts, fmt.Sprintf("[%s] %s", i.Status, i.Text))
	}
	return strings.Join(parts, "; ")
}

// result shows how a call ended; the record contains the beginning and the end of its
// output (SW-6).
func result(b *strings.Builder, s *sessionevents.Segment, l lengths) {
	r := s.Result
	if r == nil {
		return
	}
	head := "RESULT"
	switch {
	case r.ExitCode != nil:
		head += fmt.Sprintf(" (exit code %d)", *r.ExitCode)
	case r.IsError:
		head += " (error)"
	}
	text := r.Head
	if r.Tail != "" {
		text += fmt.Sprintf("\n[%d of %d bytes are not in the record]\n", max(0, r.Bytes-len(r.Head)-len(r.Tail)), r.Bytes) + r.Tail
	}
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	line(b, head+": ", shown(text, l.result))
}

// middle shortens a text in its middle, between characters.
func middle(s string, limit int) string {
	s = strings.TrimSpace(text.Valid(s))
	if len(s) <= limit {
		return s
	}
	limit = max(limit, 0)
	left := text.Head(s, limit*3/5)
	right := text.Tail(s, limit-limit*3/5)
	return fmt.Sprintf("%s\n[%d bytes left out here]\n%s", left, len(s)-len(left)-len(right), right)
}

// shown shortens a text of the session and marks its lines that look like the structure of a question: who
// speaks, what ran, where a turn or a part begins. So a text cannot speak as a person, a result or the
// watcher (AD-7).
func shown(text string, limit int) string {
	lines := strings.Split(middle(text, limit), "\n")
	for i, l := range lines {
		if structure.MatchString(l) {
			lines[i] = "· " + l
		}
	}
	return strings.Join(lines, "\n")
}

// structure matches the lines of a question that are ours.
var structure = pattern.Must(`^\s*(?:(?:PERSON|AGENT|AGENT THINKS|RESULT(?: \([^)]*\))?):` +
	`|(?:it would say|because|against):` +
	`|CALL \S+:|--- turn \d|rule \S+, turn \d` +
	`|(?:TASK|AGREED|TURNS|NEW TURNS|THE FINDING|THE PERSON SAID LAST|BEFORE THE NEW TURNS` +
	`|EARLIER TURNS THAT|CLAIMS OF THE NEW TURNS|REPORTED BEFORE)\b[A-Z ,]*$)`)

// Lines that delimit data.
const (
	recordBegins = "=== RECORD"
	recordEnds   = "=== END OF RECORD"
)

// delimited puts a text between lines that mark it as data; a line of the text that looks
// like one of these is marked.
func delimited(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "==") {
			lines[i] = "· " + l
		}
	}
	return recordBegins + "\n" + strings.Join(lines, "\n") + "\n" + recordEnds + "\n"
}
