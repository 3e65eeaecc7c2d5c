// Package terminal formats output for people: colours only on terminals that show them, progress on stderr,
// one line for each event in the live feed.
package terminal

import (
	"io"
	"os"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
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
	width, interactive := 80, false
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		interactive = true
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
			width = w
		}
	}
	theme := Theme{Width: width, Interactive: interactive}
	if interactive && environ("NO_COLOR") == "" && environ("TERM") != "dumb" {
		theme.colour(termenv.NewOutput(out))
	}
	return theme
}

// colour sets the styles for a terminal, with what colours it can show.
func (t *Theme) colour(out *termenv.Output) {
	profile := out.EnvColorProfile()
	if profile == termenv.Ascii {
		return
	}
	// termenv does not ask for the background from a job in the background, which would be
	// stopped for it; lipgloss would ask.
	dark := out.HasDarkBackground()
	colour := func(onLight, onDark string) lipgloss.Style {
		chosen := lipgloss.LightDark(dark)(lipgloss.Color(onLight), lipgloss.Color(onDark))
		if profile == termenv.ANSI {
			chosen = colorprofile.ANSI.Convert(chosen)
		}
		return lipgloss.NewStyle().Foreground(chosen)
	}
	t.Title, t.Strong = lipgloss.NewStyle().Bold(true), lipgloss.NewStyle().Bold(true)
	t.Faint = colour("244", "245")
	t.Good = colour("28", "78")
	t.Warn = colour("130", "221")
	t.Bad = colour("160", "210").Bold(true)
}
