package segment

import (
	"encoding/json"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var everywhere = origin{-1, -1}

// freeText cuts a plain Markdown turn (SW-4): prose becomes PLAN, fenced diffs and code
// DIFF, stack traces and failures ERROR, task lists todo, and lines in the form of calls
// TOOL.
func (b *builder) freeText(text string) {
	b.bytes = len(text)
	t := textCutter{builder: b, text: text}
	for _, block := range t.blocks(text) {
		t.block(block)
	}
	t.endPlan(len(text))
}

// textCutter joins adjacent prose to one PLAN, and adjacent parts of a failure to one
// ERROR.
type textCutter struct {
	*builder
	text  string
	plan0 int // where the open PLAN begins
	open  bool
}

func (t *textCutter) block(block markdown.Block) {
	switch block.Kind {
	case markdown.Fence:
		if t.isFailure(block) {
			t.endPlan(block.Start)
			t.failure(t.inside(block))
			return
		}
		segs := t.fence(t.text, block)
		if len(segs) == 0 {
			t.prose(block.Start)
			return
		}
		t.endPlan(block.Start)
		for _, seg := range segs {
			t.add(seg, everywhere)
		}
	case markdown.TaskList:
		t.endPlan(block.Start)
		seg := sessionevents.Segment{Kind: sessionevents.SegmentTodo, Offset: block.Start, Length: block.End - block.Start}
		for _, task := range block.Tasks {
			seg.Todo = append(seg.Todo, todoOf(task))
		}
		t.add(seg, everywhere)
	case markdown.Indented:
		if t.isFailure(block) {
			t.failure(block.Start, block.End)
			return
		}
		t.prose(block.Start)
	case markdown.Prose:
		t.lines(block)
	default:
		t.prose(block.Start)
	}
}

// inside returns the range of a fence's content.
func (t *textCutter) inside(block markdown.Block) (start, end int) {
	start, end = block.Start, block.End
	if i := strings.IndexByte(t.text[start:end], '\n'); i >= 0 {
		start += i + 1
	}
	if i := strings.LastIndexByte(t.text[start:end], '\n'); i >= 0 && strings.Trim(t.text[start+i:end], " \n>`~") == "" {
		end = start + i
	}
	return start, end
}

// isFailure reports whether output, in a fence for output or without a tag, or indented, reports a
// failure.
func (t *textCutter) isFailure(block markdown.Block) bool {
	if block.Language != "" && !t.config.TextFences[block.Language] && t.languageTagged(block.Language) != "shell" {
		return false
	}
	_, found := t.failures.Find(block.Body, false)
	return found
}

// lines cuts a paragraph: a line in the form of a call is a TOOL, everything from the
// first line of a failure is an ERROR, and the rest is prose.
func (t *textCutter) lines(block markdown.Block) {
	from := block.Start
	failure := block.End
	if line, ok := t.failures.Find(t.text[block.Start:block.End], false); ok && line.Strong {
		failure = t.firstFailure(block.Start, block.Start+line.Start)
	}
	for at := block.Start; at < failure; {
		end := block.End
		if i := strings.IndexByte(t.text[at:block.End], '\n'); i >= 0 {
			end = at + i + 1
		}
		if seg, ok := t.callLineSegment(at, min(end, failure)); ok {
			if from < at {
				t.prose(from)
			}
			t.endPlan(at)
			t.call(seg)
			from = end
		}
		at = end
	}
	if from < failure {
		t.prose(from)
	}
	if failure < block.End {
		t.failure(failure, block.End)
	}
}

// firstFailure returns where the failure begins: at the first line that reports one, and
// no later than the line that describes it best.
func (t *textCutter) firstFailure(start, telling int) int {
	for at := start; at < telling; {
		end := at + strings.IndexByte(t.text[at:], '\n') + 1
		if line, ok := t.failures.Find(t.text[at:end], false); ok && line.Strong {
			return at
		}
		at = end
	}
	return telling
}

// prose opens a PLAN at start unless one is open.
func (t *textCutter) prose(start int) {
	if !t.open {
		t.plan0, t.open = start, true
	}
}

func (t *textCutter) endPlan(end int) {
	if t.open {
		t.plan(t.text, t.plan0, end, 0, false, everywhere)
	}
	t.open = false
}

// failure adds an ERROR, or extends the one directly before.
func (t *textCutter) failure(start, end int) {
	t.endPlan(start)
	if n := len(t.segments); n > 0 {
		last := &t.segments[n-1]
		if lastEnd := last.Offset + last.Length; last.Kind == sessionevents.SegmentError && strings.TrimSpace(t.text[lastEnd:start]) == "" {
			start = last.Offset
			t.segments, t.origins = t.segments[:n-1], t.origins[:n-1]
		}
	}
	body := t.text[start:end]
	line, _ := t.failures.Find(body, true)
	seg := sessionevents.Segment{Kind: sessionevents.SegmentError, Error: &sessionevents.ErrorInfo{Confidence: t.config.OutputConfidence}}
	t.config.describe(&seg, body, line)
	seg.Offset, seg.Length = start, end-start
	seg.Text = text.Head(body, t.config.Limits.ErrorText)
	t.add(seg, everywhere)
}

// callLineSegment reads a line like Read(src/a.go) or search(pattern="x").
func (t *textCutter) callLineSegment(start, end int) (*call, bool) {
	line := strings.TrimSpace(t.text[start:end])
	m := t.config.CallLine.FindStringSubmatch(line)
	if m == nil {
		return nil, false
	}
	found := t.tools.lookup(m[1])
	if found == unknownTool && !strings.ContainsAny(m[1], "_.") {
		return nil, false // prose such as "run(s)"
	}
	raw := t.arguments(found, m[2])
	first, last := trimmed(t.text, start, end)
	return &call{block: &sessionevents.Block{Name: m[1], Input: raw}, offset: first, length: last - first, origin: everywhere}, true
}

// arguments returns an input for the text between the parentheses: a JSON object,
// key=value pairs, or the tool's single value.
func (t *textCutter) arguments(found *tool, text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if pairs := keywordPairs(text); len(pairs) > 0 {
		return encoded(pairs)
	}
	if text == "" {
		return json.RawMessage("{}")
	}
	return encoded(map[string]string{t.mainField(found.Canonical): unquotedArgument(text)})
}

func encoded(fields map[string]string) json.RawMessage {
	raw, err := json.Marshal(fields) // keys are sorted
	if err != nil {
		return nil // cannot happen: strings always encode
	}
	return raw
}

func (t *textCutter) mainField(canonical sessionevents.CanonicalTool) string {
	f := t.tools.fields
	switch canonical {
	case sessionevents.ToolShell:
		return f.Command[0]
	case sessionevents.ToolSearch:
		return f.Pattern[0]
	case sessionevents.ToolFetch:
		return f.URL[0]
	case sessionevents.ToolList:
		return f.Folder[0]
	default:
		return f.Path[0]
	}
}

// keywordPairs reads key="value", key: value, …; it returns nil for any other text.
func keywordPairs(text string) map[string]string {
	out := map[string]string{}
	for text != "" {
		at := strings.IndexAny(text, "=:")
		if at <= 0 || strings.ContainsAny(text[:at], " /\"'()") {
			return nil
		}
		key := text[:at]
		value := strings.TrimLeft(text[at+1:], " ")
		end := valueEnd(value)
		out[key] = unquotedArgument(value[:end])
		text = strings.TrimLeft(value[end:], ", ")
	}
	return out
}

// valueEnd returns where a value ends: after its closing quote, otherwise at a comma.
func valueEnd(value string) int {
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		if i := strings.IndexByte(value[1:], value[0]); i >= 0 {
			return i + 2
		}
	}
	if i := strings.IndexByte(value, ','); i >= 0 {
		return i
	}
	return len(value)
}

func unquotedArgument(text string) string {
	text = strings.TrimSpace(text)
	if len(text) >= 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}
