package cline

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// piece is text, reasoning (name "thinking"), or a call with its fields.
type piece struct {
	text, name string
	fields     map[string]string
}

// tools are those of Cline, Roo Code and Kilo Code.
var tools = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`
		thinking execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace
		edit_file search_files list_files list_code_definition_names codebase_search browser_action use_mcp_tool
		access_mcp_resource ask_followup_question attempt_completion new_task plan_mode_respond act_mode_respond
		switch_mode load_mcp_documentation update_todo_list fetch_instructions web_fetch web_search condense new_rule
		report_bug use_skill use_subagents run_slash_command generate_image delete_file focus_chain apply_patch`) {
		set[name] = true
	}
	return set
}()

// speaking are the fields in which a call addresses the person.
var speaking = map[string]string{
	"attempt_completion": "result", "ask_followup_question": "question", "plan_mode_respond": "response",
	"act_mode_respond": "response",
}

var (
	opening = pattern.Must(`(?m)^[ \t]*<([a-z][a-z_]{2,40})>`)
	field   = pattern.Must(`<([a-z][a-z_]{0,40})>`)
)

// pieces splits a response into text and calls. Fenced blocks are text.
func pieces(text string) (list []piece) {
	for text != "" {
		start, end, name := next(text)
		if start < 0 {
			break
		}
		if before := strings.TrimSpace(text[:start]); before != "" {
			list = append(list, piece{text: before})
		}
		closing := "</" + name + ">"
		body, rest, closed := strings.Cut(text[end:], closing)
		if content := last(text[end:], closing); name == "write_to_file" && content >= 0 {
			body, rest, closed = text[end:end+content], text[end+content+len(closing):], true
		}
		if !closed { // the response was cut off
			rest = ""
		}
		list = append(list, piece{text: strings.TrimSpace(body), name: name, fields: fields(body)})
		text = rest
	}
	if text = strings.TrimSpace(text); text != "" {
		list = append(list, piece{text: text})
	}
	return list
}

// last returns the position of the last closing tag before another call begins, -1 if there is none.
func last(text, closing string) int {
	if start, _, _ := next(text); start >= 0 && strings.Contains(text[:start], closing) {
		text = text[:start]
	}
	return strings.LastIndex(text, closing)
}

// next finds the next call outside of fenced text.
func next(text string) (start, end int, name string) {
	for _, m := range opening.FindAllStringSubmatchIndex(text, 200) {
		if name := text[m[2]:m[3]]; tools[name] && strings.Count(text[:m[0]], "\n```")%2 == 0 {
			return m[0], m[1], name
		}
	}
	return -1, -1, ""
}

// fields returns the parameters of a call. One that contains a file ends at its last closing tag.
func fields(body string) map[string]string {
	out := map[string]string{}
	for len(out) < 64 {
		m := field.FindStringSubmatchIndex(body)
		if m == nil {
			break
		}
		name := body[m[2]:m[3]]
		closing := "</" + name + ">"
		end := strings.Index(body[m[1]:], closing)
		if name == "content" || name == "diff" {
			end = strings.LastIndex(body[m[1]:], closing)
		}
		if end < 0 {
			out[name] = strings.TrimSpace(body[m[1]:])
			break
		}
		value := strings.TrimSuffix(strings.TrimPrefix(body[m[1]:m[1]+end], "\n"), "\n")
		if _, twice := out[name]; !twice {
			out[name] = value
		}
		body = body[m[1]+end+len(closing):]
	}
	if args := out["args"]; args != "" { // read_file with several files
		if inner := fields(args); inner["file"] != "" {
			for name, value := range fields(inner["file"]) {
				out[name] = value
			}
		}
	}
	return out
}
