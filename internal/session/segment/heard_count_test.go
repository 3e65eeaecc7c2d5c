package segment_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// counters count what a file of each format holds, from the file alone.
var counters = map[string]func([]byte) heard{
	"claude-code": claudeCode, "codex": codex, "swe-agent": sweAgent, "mini-swe-agent": miniSWE,
	"gemini": gemini, "qwen": qwen, "copilot": copilot, "openhands": openHands, "kimi": kimi,
	"cursor": cursor, "antigravity": antigravity, "opencode": openCode, "chat": chat,
}

func claudeCode(data []byte) (h heard) {
	edits, results := map[string]bool{}, map[string]bool{}
	var queued []string
	for _, r := range records(data) {
		line, _ := r.(map[string]any)
		walk(r, func(m map[string]any) {
			switch {
			case m["type"] == "tool_use" && isEdit(text(m, "name")):
				edits[text(object(line, "message"), "id")+text(m, "id")] = true // an id alone can occur again
			case m["type"] == "tool_result" && text(m, "tool_use_id") != "":
				id := text(m, "tool_use_id")
				if !strings.HasPrefix(id, "toolu_") {
					id += text(line, "uuid")
				}
				results[id] = true
			}
		})
		switch {
		case line["type"] == "queue-operation":
			switch text(line, "operation") {
			case "enqueue":
				queued = append(queued, text(line, "content"))
			case "popAll":
				queued = nil
			case "remove", "dequeue":
				if len(queued) > 0 && line["operation"] == "remove" && personal(queued[0]) && !strings.HasPrefix(queued[0], "/") {
					h.users++
				}
				queued = queued[min(1, len(queued)):]
			}
		case object(line, "attachment")["type"] == "queued_command":
			h.users++
		default:
			h.users += claudePrompts(line)
		}
	}
	h.edits, h.results = len(edits), len(results)
	return h
}

// claudePrompts counts the messages of a user line, of the person or, in a
// subagent, of its parent, and the answers in refusals.
func claudePrompts(line map[string]any) (n int) {
	if inner := object(object(line, "data"), "message"); inner != nil {
		line = inner
	}
	if line["type"] != "user" || line["isMeta"] == true || line["isCompactSummary"] == true {
		return 0
	}
	content := object(line, "message")["content"]
	if s, ok := content.(string); ok && personal(s) {
		return 1
	}
	parts, _ := content.([]any)
	for _, p := range parts {
		part, _ := p.(map[string]any)
		whole, _ := json.Marshal(part["content"])
		switch {
		case part["type"] == "text" && personal(text(part, "text")):
			n++
		case part["type"] == "tool_result" && part["is_error"] == true && strings.Contains(string(whole), "doesn't want to proceed") && strings.Contains(string(whole), "the user said:"):
			n++
		}
	}
	return n
}

var patchedFile = regexp.MustCompile(`(?:^|\n|\\n)\*\*\* (?:Add|Update|Delete) File: `)

func codex(data []byte) (h heard) {
	results := map[string]bool{}
	computed, applied, inScript := false, map[string]bool{}, 0
	fromEvents, fromItems := 0, 0
	for _, r := range records(data) {
		line, _ := r.(map[string]any)
		p := object(line, "payload")
		if text(p, "type") == "item_completed" {
			p = object(p, "item")
		}
		switch text(p, "type") {
		case "custom_tool_call":
			script := text(p, "input")
			h.edits += len(patchedFile.FindAllString(script, -1))
			computed = strings.Contains(script, "apply_patch") && !patchedFile.MatchString(script)
			inScript = 0
			if strings.Contains(script, "exec_command") {
				inScript = 1 // the script's own result is the command's
			}
		case "patch_apply_end", "FileChange":
			if id := text(p, "call_id") + text(p, "id"); (computed || strings.HasPrefix(id, "loose")) && !applied[id] {
				applied[id] = true
				h.edits += len(object(p, "changes"))
			}
			if inScript++; inScript > 1 {
				h.results++ // of a patch beside the first call
			}
		case "custom_tool_call_output", "function_call_output", "tool_search_output":
			results[text(p, "call_id")] = true
			inScript = 1
		case "user_message":
			fromEvents++
		case "message":
			for _, c := range list(p, "content") {
				if part, _ := c.(map[string]any); p["role"] == "user" && personal(text(part, "text")) && !strings.HasPrefix(text(part, "text"), "<") {
					fromItems++
				}
			}
		}
	}
	h.users, h.results = max(fromEvents, fromItems), h.results+len(results)
	return h
}

var sweEdit = regexp.MustCompile(`^(?:(?:edit|insert|create)\b|str_replace_editor (?:create|str_replace|insert))`)

func sweAgent(data []byte) (h heard) {
	document, _ := records(data)[0].(map[string]any)
	for _, s := range list(document, "trajectory") {
		action := text(s.(map[string]any), "action")
		if sweEdit.MatchString(action) {
			h.edits++
		}
		if strings.TrimSpace(action) != "" {
			h.results++
		}
	}
	h.users = 1
	return h
}

var shellWrite = regexp.MustCompile(`(?m)^(?:cat <<.*> ?\S+|sed -i )`)

func miniSWE(data []byte) (h heard) {
	document, _ := records(data)[0].(map[string]any)
	for _, m := range list(document, "messages") {
		message, _ := m.(map[string]any)
		content := text(message, "content")
		switch {
		case message["role"] == "assistant":
			h.written += len(shellWrite.FindAllString(content, -1))
		case strings.Contains(content, "<returncode>") || message["role"] == "tool":
			h.results++
		}
	}
	h.users = 1
	return h
}

func gemini(data []byte) (h heard) {
	seen := map[string]bool{}
	for _, r := range records(data) {
		walk(r, func(m map[string]any) {
			if whole, isText := m["content"].(string); m["type"] == "user" && (!isText || personal(whole)) {
				h.users++
			}
			for _, c := range list(m, "toolCalls") {
				call, _ := c.(map[string]any)
				if seen[text(call, "id")] {
					continue
				}
				seen[text(call, "id")] = true
				if isEdit(text(call, "name")) {
					h.edits++
				}
				if call["result"] != nil {
					h.results++
				}
			}
		})
	}
	return h
}

func qwen(data []byte) (h heard) {
	for _, r := range records(data) {
		line, _ := r.(map[string]any)
		if line["type"] == "user" && line["subtype"] == nil {
			h.users++
		}
		walk(r, func(m map[string]any) {
			if call := object(m, "functionCall"); isEdit(text(call, "name")) {
				h.edits++
			}
			if m["functionResponse"] != nil {
				h.results++
			}
		})
	}
	return h
}

func copilot(data []byte) (h heard) {
	for _, r := range records(data) {
		line, _ := r.(map[string]any)
		d := object(line, "data")
		switch text(line, "type") {
		case "user.message":
			h.users++
		case "tool.execution_complete":
			h.results++
		case "assistant.message":
			for _, c := range list(d, "toolRequests") {
				if call, _ := c.(map[string]any); isEdit(text(call, "name")) {
					h.edits++
				}
			}
		}
	}
	return h
}

func openHands(data []byte) (h heard) {
	for _, e := range records(data)[0].([]any) {
		event, _ := e.(map[string]any)
		switch {
		case event["cause"] != nil:
			h.results++
		case event["source"] == "user" && personal(text(object(event, "args"), "content")):
			h.users++
		case slices.Contains([]string{"edit", "write"}, text(event, "action")):
			h.edits++
		}
	}
	return h
}

func kimi(data []byte) (h heard) {
	for _, r := range records(data) {
		line, _ := r.(map[string]any)
		event := object(line, "event")
		switch {
		case line["type"] == "turn.prompt":
			h.users++
		case event["type"] == "tool.call" && isEdit(text(event, "name")):
			h.edits++
		case event["type"] == "tool.result":
			h.results++
		}
	}
	return h
}

func cursor(data []byte) (h heard) {
	for _, r := range records(data) {
		line, _ := r.(map[string]any)
		walk(r, func(m map[string]any) {
			switch {
			case m["type"] == "tool_use" && isEdit(text(m, "name")):
				h.edits++
			case m["type"] == "tool_result":
				h.results++
			case m["type"] == "text" && line["role"] == "user" && m["text"] != "ok":
				h.users++
			}
		})
	}
	return h
}

func antigravity(data []byte) (h heard) {
	waiting := 0
	for _, r := range records(data) {
		line, _ := r.(map[string]any)
		calls := list(line, "tool_calls")
		for _, c := range calls {
			if call, _ := c.(map[string]any); isEdit(text(call, "name")) {
				h.edits++
			}
		}
		switch {
		case line["type"] == "USER_INPUT":
			h.users++
		case line["type"] == "PLANNER_RESPONSE":
			waiting = len(calls)
		case line["source"] == "MODEL":
			h.results++
			if waiting--; waiting < 0 && line["type"] == "CODE_ACTION" {
				h.edits++
			}
		}
	}
	return h
}

func openCode(data []byte) (h heard) {
	for _, m := range list(records(data)[0].(map[string]any), "messages") {
		message, _ := m.(map[string]any)
		for _, p := range list(message, "parts") {
			part, _ := p.(map[string]any)
			switch {
			case part["type"] == "tool":
				h.results++
				if isEdit(text(part, "tool")) {
					h.edits++
				}
			case object(message, "info")["role"] == "user" && part["synthetic"] != true:
				h.users++
			}
		}
	}
	return h
}

func chat(data []byte) (h heard) {
	for _, m := range records(data)[0].([]any) {
		message, _ := m.(map[string]any)
		switch message["role"] {
		case "user":
			h.users++
		case "tool":
			h.results++
		}
		for _, c := range list(message, "tool_calls") {
			if call, _ := c.(map[string]any); isEdit(text(object(call, "function"), "name")) {
				h.edits++
			}
		}
	}
	return h
}
