package cli

import (
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// Prose returns standard output for prose: a terminal gets lines wrapped at spaces to its width. Elsewhere
// lines stay whole, as scripts read them. Indented lines are never wrapped.
func (r *Call) Prose() io.Writer {
	if !r.Theme.Interactive {
		return r.Stdout
	}
	return prose{r.Stdout, r.Theme.Width}
}

// Below returns text that belongs to the line above it: indented, and on a terminal wrapped to its width.
func (r *Call) Below(text string) string {
	const margin = "  "
	if r.Theme.Interactive {
		text = terminal.Wrap(text, r.Theme.Width, len(margin))
	}
	return margin + text + "\n"
}

type prose struct {
	out   io.Writer
	width int
}

// Write implements [io.Writer]. Each call writes complete lines.
func (p prose) Write(text []byte) (int, error) {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = p.wrap(line)
	}
	if _, err := io.WriteString(p.out, strings.Join(lines, "\n")); err != nil {
		return 0, err
	}
	return len(text), nil
}

// wrap wraps a line; continuations are indented to the text after its first column.
func (p prose) wrap(line string) string {
	const least = 20 // columns of text
	if strings.HasPrefix(line, " ") || len(line) <= p.width || p.width < 2*least {
		return line
	}
	margin := 2
	if name, text, columns := strings.Cut(line, "  "); columns && len(name)+2 < p.width-least && !strings.Contains(name, " ") {
		margin = len(line) - len(strings.TrimLeft(text, " "))
	}
	first := line[:margin]
	return first + terminal.Wrap(line[margin:], p.width, margin)
}
