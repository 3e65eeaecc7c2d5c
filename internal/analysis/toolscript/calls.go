// Package toolscript reads the tool calls in a script that an agent runs instead of
// calling tools one by one, such as the JavaScript of Codex's tool exec:
// tools.exec_command({cmd: "…"}), const patch = `…`; tools.apply_patch(patch). It runs
// nothing: literals, their concatenation and variables that hold them are evaluated, and
// computed values are left open (SW-3a).
package toolscript

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// maxCalls bounds the calls of one script.
const maxCalls = 200

// Call is one call of a tool.
type Call struct {
	Name string
	// Text is the argument if it is text, or the text of a field with the command or
	// patch; "" if it is computed.
	Text string
	// Fields are the members of the argument if it is an object, as far as they are
	// literals.
	Fields map[string]any
}

var (
	binding  = pattern.Must(`(?:^|[^\w$.])(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*`)
	extended = pattern.Must(`(?:^|[^\w$.])([A-Za-z_$][\w$]*)\s*\+=\s*`)
	called   = pattern.Must(`\btools(?:\.([A-Za-z_]\w*)|\[\s*["']([A-Za-z_]\w*)["']\s*\])\s*\(`)
)

// Calls returns the tool calls in a script, in order.
func Calls(script string) []Call {
	names := bindings(script)
	var out []Call
	for _, m := range called.FindAllStringSubmatchIndex(script, maxCalls) {
		c := Call{Name: group(script, m, 1) + group(script, m, 2)}
		r := reader{text: script, at: m[1], names: names}
		switch argument := r.expression().(type) {
		case string:
			c.Text = argument
		case map[string]any:
			c.Fields, c.Text = argument, mainField(argument)
		}
		out = append(out, c)
	}
	return out
}

// Literals returns the string literals of a script that contain part.
func Literals(script, part string) []string {
	var out []string
	for at := 0; at < len(script) && len(out) < maxCalls; {
		open := strings.IndexAny(script[at:], "\"'`")
		if open < 0 {
			break
		}
		r := reader{text: script, at: at + open}
		if text, ok := r.literal(); ok && strings.Contains(text, part) {
			out = append(out, text)
		}
		at = max(r.at, at+open+1)
	}
	return out
}

// mainField returns the text of the field with the command or change.
func mainField(fields map[string]any) string {
	for _, name := range []string{"cmd", "command", "patch", "input"} {
		switch v := fields[name].(type) {
		case string:
			return v
		case []any:
			return strings.Join(texts(v), " ")
		}
	}
	return ""
}

// bindings returns the variables that hold a literal, including what is appended to them.
func bindings(script string) map[string]any {
	names := map[string]any{}
	for _, m := range binding.FindAllStringSubmatchIndex(script, maxCalls) {
		r := reader{text: script, at: m[1], names: names}
		if v := r.expression(); v != nil {
			names[group(script, m, 1)] = v
		}
	}
	for _, m := range extended.FindAllStringSubmatchIndex(script, maxCalls) {
		name := group(script, m, 1)
		before, known := names[name].(string)
		r := reader{text: script, at: m[1], names: names}
		if more, ok := r.expression().(string); ok && known {
			names[name] = before + more
		}
	}
	return names
}

func group(s string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return s[m[2*n]:m[2*n+1]]
}

func texts(list []any) []string {
	var out []string
	for _, v := range list {
		if text, ok := v.(string); ok {
			out = append(out, text)
		}
	}
	return out
}
