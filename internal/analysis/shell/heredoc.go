package shell

import (
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

var heredocStart = pattern.Must(`<<-?[ \t]*['"\\]?([A-Za-z_][A-Za-z0-9_]*)['"]?`)

const placeholder = "‹heredoc:%d›"

// withoutHeredocs replaces heredoc bodies by placeholders, so that only the commands of a
// long line are parsed: parsing hostile text can take long, and bodies are plain text.
func withoutHeredocs(text string) (short string, bodies []string) {
	var out strings.Builder
	var waiting []string
	var body []string
	for line := range strings.Lines(text) {
		if len(waiting) > 0 {
			if strings.Trim(line, "\t\r\n") != waiting[0] {
				body = append(body, line)
				continue
			}
			fmt.Fprintf(&out, placeholder+"\n", len(bodies))
			bodies, body, waiting = append(bodies, strings.Join(body, "")), nil, waiting[1:]
		} else {
			for _, m := range heredocStart.FindAllStringSubmatch(line, -1) {
				waiting = append(waiting, m[1])
			}
		}
		out.WriteString(line)
	}
	return out.String(), bodies
}

// heredoc returns the body of a here-document, in which unknown $variables are kept as
// written.
func (r *run) heredoc(redirect *syntax.Redirect) string {
	if redirect.Hdoc == nil {
		return ""
	}
	text, err := expand.Document(r.expansion(), redirect.Hdoc)
	if err != nil {
		text = r.sourceOf(redirect.Hdoc)
		text = text[:strings.LastIndexByte(text, '\n')+1] // without the end mark
	}
	var n int
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "‹heredoc:") {
		n, err = strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(trimmed, "‹heredoc:"), "›"))
		if err == nil && n >= 0 && n < len(r.bodies) {
			return r.bodies[n]
		}
	}
	return text
}
