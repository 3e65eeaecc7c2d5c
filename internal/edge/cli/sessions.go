package cli

import (
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

// PrintSessions prints the reports as text. Of several sessions, those without findings come first, one
// line each; the others follow in full, separated by blank lines. With explain, the reports include how
// each thing was decided.
func PrintSessions(out io.Writer, theme terminal.Theme, sessions []sessionreport.Model, explain bool) error {
	screen := doc.Screen{Width: theme.Width, Style: TextStyle{Theme: theme}, Explain: explain}
	var s strings.Builder
	if len(sessions) > 1 {
		for _, m := range sessions {
			if quiet(m) {
				s.WriteString(summary(m, theme) + "\n")
			}
		}
	}
	for _, m := range sessions {
		if len(sessions) > 1 && quiet(m) {
			continue
		}
		if s.Len() > 0 {
			s.WriteByte('\n')
		}
		if err := doc.WriteText(&s, sessionreport.Document(m), screen); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, s.String())
	return err
}

// summary returns a session in one line, wrapped only on a terminal.
func summary(m sessionreport.Model, theme terminal.Theme) string {
	if !theme.Interactive {
		return sessionreport.Summary(m)
	}
	return strings.ReplaceAll(terminal.Wrap(sessionreport.Summary(m), theme.Width-2, 0), "\n", "\n  ")
}

// quiet reports whether there is nothing to report about a session.
func quiet(m sessionreport.Model) bool {
	return len(m.Interrupts)+len(m.NotSent)+len(m.Logged)+len(m.Corrected)+len(m.Expired) == 0
}

// TextStyle styles a report with the colours of the terminal.
type TextStyle struct{ Theme terminal.Theme }

// Heading renders a heading.
func (s TextStyle) Heading(text string) string { return s.Theme.Title.Render(text) }

// Urgent renders text that needs attention.
func (s TextStyle) Urgent(text string) string { return s.Theme.Bad.Render(text) }

// Good renders text about something in order.
func (s TextStyle) Good(text string) string { return s.Theme.Good.Render(text) }

// Muted renders less important text.
func (s TextStyle) Muted(text string) string { return s.Theme.Faint.Render(text) }
