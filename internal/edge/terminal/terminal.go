// Package terminal formats output for people: colours only on terminals that show them, progress on stderr,
// one line for each event in the live feed.
package terminal

import (
	"io"
	"os"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
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
}

// New returns the theme for an output.
func New(out io.Writer, environ func(string) string) Theme {
	renderer := lipgloss.NewRenderer(out)
	width, interactive := 80, false
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		interactive = true
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
			width = w
		}
	}
	if !interactive || environ("NO_COLOR") != "" || environ("TERM") == "dumb" {
		renderer.SetColorProfile(termenv.Ascii)
	}
	colour := func(light, dark string) lipgloss.Style {
		return renderer.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})
	}
	return Theme{
		Title:       renderer.NewStyle().Bold(true),
		Strong:      renderer.NewStyle().Bold(true),
		Faint:       colour("244", "245"),
		Good:        colour("28", "78"),
		Warn:        colour("130", "221"),
		Bad:         colour("160", "210").Bold(true),
		Width:       width,
		Interactive: interactive,
	}
}
