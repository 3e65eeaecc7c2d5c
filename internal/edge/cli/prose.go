package cli

import (
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// Prose is standard output for lines of prose: on a terminal those longer than it is wide break
// at spaces. Elsewhere they stay whole, as scripts read them. Indented lines are never broken.
func (r *Call) Prose() io.Writer {
	if !r.Theme.Interactive {
		return r.Stdout
	}
	return prose{r.Stdout, r.Theme.Width}
}

type prose struct {
	out   io.Writer
	width int
}

// Write implements [io.Writer]. Each call writes whole lines.
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

// wrap breaks a line; the rest is indented to the text after its first column.
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
