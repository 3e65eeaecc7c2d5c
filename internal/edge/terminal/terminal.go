// Package terminal formats output for people: colours only on terminals that show them, progress on stderr,
// one line for each event in the live feed.
package terminal

import (
	"io"
	"os"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"
)

// Theme holds the styles of one output; unless it is a terminal, or with NO_COLOR set, every style is
// plain.
type Theme struct {
	Title, Strong, Faint, Good, Warn, Bad lipgloss.Style
	// Width is the terminal's width in columns, 80 if there is none.
	Width int
	// Interactive reports whether the output is a terminal.
	Interactive bool
	// Words are what people call detectors and reasons.
	Words Words
	// Zone is the reader's time zone, nil for UTC.
	Zone *time.Location
}

// Words hold what people call things; what has no words is shown as it is.
type Words struct {
	Titles  map[string]string // of detectors by id
	Reasons map[string]string // why something was not said, by code
}

// found names what a detector finds, as reports do: "stuck loop, C4".
func (w Words) found(detector string) string {
	if title := w.Titles[detector]; title != "" {
		return title + ", " + detector
	}
	return detector
}

// why returns a reason in words.
func (w Words) why(reason string) string {
	if words := w.Reasons[reason]; words != "" {
		return words
	}
	return reason
}

// New returns the theme for an output.
func New(out io.Writer, environ func(string) string) Theme {
	width, interactive := 80, false
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		interactive = true
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
			width = w
		}
	}
	theme := Theme{Width: width, Interactive: interactive, Zone: time.Local}
	if interactive && environ("NO_COLOR") == "" && colorprofile.Env(environment(environ)) >= colorprofile.ANSI {
		theme.colour()
	}
	return theme
}

// environment has what decides whether a terminal shows colours, as [os.Environ] has it.
func environment(environ func(string) string) (list []string) {
	for _, name := range []string{"TERM", "COLORTERM", "CLICOLOR", "CLICOLOR_FORCE", "TERM_PROGRAM", "WT_SESSION", "TMUX"} {
		if value := environ(name); value != "" {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// colour sets the styles for a terminal that shows colours: those of its own palette, which its owner chose to be
// read on its background. Asking it for the background would take seconds where nothing answers, and
// would take what was typed meanwhile.
func (t *Theme) colour() {
	style := lipgloss.NewStyle()
	t.Title, t.Strong = style.Bold(true), style.Bold(true)
	t.Faint = style.Faint(true)
	t.Good = style.Foreground(lipgloss.Green)
	t.Warn = style.Foreground(lipgloss.Yellow)
	t.Bad = style.Foreground(lipgloss.Red).Bold(true)
}
