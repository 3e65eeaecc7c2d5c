package specstory

import (
	"html"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// piece is prose, reasoning or a call in an agent's section.
type piece struct {
	text     string
	thinking bool
	tool     *block
}

// block is a call with its result as written in an export.
type block struct {
	kind, name, summary, status, body string
}

var (
	envelope = pattern.Must(`(?m)^<tool-use\b([^>]*)>`)
	kindOf   = pattern.Must(`data-tool-type="([^"]*)"`)
	nameOf   = pattern.Must(`data-tool-name="([^"]*)"`)
	statusOf = pattern.Must(`data-edit-status="([^"]*)"`)
	summary  = pattern.Must(`(?s)^\s*(?:<details>)?\s*<summary>(.*?)</summary>`)
	thought  = pattern.Must(`(?s)^<think>\s*(?:<details>\s*)?(?:<summary>[^<]*</summary>)?(.*?)` +
		`(?:</details>\s*)?</think>`)
	// Forms of 2025, before blocks had an envelope.
	bare = pattern.Must(`(?m)^Tool use: \*\*([\w.:-]{1,80})\*\*(.*)$`)
	old  = pattern.Must(`(?s)^<details>\s*<summary>\s*(?:Tool use: \*\*([\w.:-]{1,80})\*\*)?\s*(?:•\s*)?` +
		`(Edit file|Read file|Listed|Searched codebase|Grep search|Grep for|Run command|Todo List)?(.{0,500}?)</summary>`)
	reads = pattern.Must(`^Read file: (\S.*)$`)
)

// oldNames maps how nameless sections begin to their tools.
var oldNames = map[string]string{
	"Edit file": "edit_file", "Read file": "read_file", "Listed": "list_dir", "Searched codebase": "codebase_search",
	"Grep search": "grep_search", "Grep for": "grep", "Run command": "run_terminal_cmd", "Todo List": "todo_write",
}

// pieces splits an agent's section.
func pieces(text string) (list []piece) {
	prose := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, piece{text: part})
		}
	}
	if b := whole(strings.TrimSpace(text)); b != nil {
		return []piece{{tool: b}}
	}
	for text != "" {
		at := first(text)
		if at < 0 {
			prose(text)
			break
		}
		prose(text[:at])
		text = text[at:]
		switch {
		case strings.HasPrefix(text, "<think>"):
			m := thought.FindStringSubmatch(text)
			if m == nil {
				prose(text)
				return list
			}
			list = append(list, piece{text: strings.TrimSpace(m[1]), thinking: true})
			text = text[len(m[0]):]
		case strings.HasPrefix(text, "<tool-use"):
			var b *block
			b, text = enveloped(text)
			list = append(list, piece{tool: b})
		default:
			var b *block
			b, text = without(text)
			list = append(list, piece{tool: b})
		}
	}
	return list
}

// first returns where the next block begins outside of fenced text, -1 if there is none.
func first(text string) int {
	fence, at := "", 0
	for _, line := range strings.SplitAfter(text, "\n") {
		switch {
		case fence != "":
			if closes(line, fence) {
				fence = ""
			}
		case strings.HasPrefix(line, "<think>"), strings.HasPrefix(line, "<tool-use"),
			bare.MatchString(strings.TrimRight(line, "\r\n")):
			return at
		default:
			fence = opens(strings.TrimRight(line, "\r\n"))
		}
		at += len(line)
	}
	return -1
}

// enveloped parses a block `<tool-use …>` and returns what follows it.
func enveloped(text string) (*block, string) {
	head := envelope.FindStringSubmatch(text)
	if head == nil {
		return &block{body: text}, ""
	}
	b := &block{kind: attribute(kindOf, head[1]), name: attribute(nameOf, head[1]), status: attribute(statusOf,
		head[1])}
	inner, rest := text[len(head[0]):], ""
	if end := strings.LastIndex(inner[:ends(inner)], "</tool-use>"); end >= 0 {
		inner, rest = inner[:end], inner[end+len("</tool-use>"):]
	}
	if m := summary.FindStringSubmatch(inner); m != nil {
		b.summary, inner = html.UnescapeString(m[1]), inner[len(m[0]):]
	}
	inner = strings.TrimSpace(inner)
	b.body = strings.TrimSpace(strings.TrimSuffix(inner, "</details>"))
	return b, rest
}

// ends returns how far a block extends: to the first end outside of fenced text or, if a fence was left
// open, to the first end anywhere.
func ends(text string) int {
	fence, at, broken := "", 0, 0
	for _, line := range strings.SplitAfter(text, "\n") {
		at += len(line)
		ended := strings.HasSuffix(strings.TrimSpace(line), "</tool-use>")
		if ended && broken == 0 {
			broken = at
		}
		switch {
		case fence != "":
			if closes(line, fence) {
				fence = ""
			}
		case ended:
			return at
		default:
			fence = opens(strings.TrimRight(line, "\r\n"))
		}
	}
	if broken > 0 {
		return broken
	}
	return len(text)
}

func attribute(of *pattern.Regexp, text string) string {
	if m := of.FindStringSubmatch(text); m != nil {
		return html.UnescapeString(m[1])
	}
	return ""
}

// without parses a block that begins with a line "Tool use: **name**", up to the end of its result: prose
// after a result is the agent's.
func without(text string) (*block, string) {
	line, rest, _ := strings.Cut(text, "\n")
	m := bare.FindStringSubmatch(strings.TrimRight(line, "\r"))
	b := &block{name: m[1], summary: strings.TrimSpace(m[2])}
	end := len(rest)
	if next := first(rest); next >= 0 {
		end = next
	}
	fence, at, done := "", 0, false
	for _, l := range strings.SplitAfter(rest[:end], "\n") {
		trimmed := strings.TrimSpace(l)
		switch {
		case fence != "":
			if closes(l, fence) {
				fence, done = "", true
			}
		case trimmed == "</details>":
			done = true
		default:
			if fence = opens(strings.TrimRight(l, "\r\n")); done && fence == "" && trimmed != "" && !label(trimmed) {
				end = at
			}
		}
		if at += len(l); at > end {
			break
		}
	}
	b.body = strings.TrimSpace(rest[:end])
	if d := old.FindStringSubmatch(b.body); d != nil {
		b.summary, b.body = strings.TrimSpace(d[2]+d[3]),
			strings.TrimSpace(strings.TrimSuffix(b.body[len(d[0]):], "</details>"))
	}
	return b, rest[end:]
}

// whole parses a section that consists of a single action, as in the first forms; nil for prose.
func whole(text string) *block {
	if m := old.FindStringSubmatch(text); m != nil && (m[1] != "" || m[2] != "") && strings.HasSuffix(text,
		"</details>") {
		b := &block{name: m[1], summary: strings.TrimSpace(html.UnescapeString(m[2] + m[3]))}
		if b.name == "" {
			b.name = oldNames[m[2]]
		}
		b.body = strings.TrimSpace(strings.TrimSuffix(text[len(m[0]):], "</details>"))
		return b
	}
	if m := reads.FindStringSubmatch(text); m != nil {
		return &block{name: "read_file", summary: text}
	}
	fences, prose := fenced(text), strings.TrimSpace(unfenced(text))
	switch {
	case len(fences) == 0 || fences[0].at > 0 || prose != "" && !strings.HasPrefix(prose, "Lines added: "):
		return nil
	case fences[0].lang == "diff" && len(fences) == 1:
		return &block{name: "edit_file", body: text}
	case shells[fences[0].lang] && len(fences) == 2 && fences[1].lang == "":
		return &block{name: "run_terminal_cmd", body: text}
	}
	return nil
}
