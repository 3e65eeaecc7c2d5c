package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/report"
	"github.com/scaffoldwatch/scaffoldwatch/internal/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// printed says whether `scan --output jsonl` prints a type (events.md, the end).
func printed(t events.Type) bool {
	d, ok := events.Lookup(t)
	return ok && d.Printed()
}

// printSessions writes the people's text: a line a session, and below it what
// deserves attention.
func printSessions(out io.Writer, theme terminal.Theme, sessions []report.Model) error {
	for _, m := range sessions {
		if err := report.RenderText(out, m, theme.Width, textStyle{Theme: theme}); err != nil {
			return err
		}
	}
	return nil
}

// plural words a count.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, strings.TrimSuffix(what, "s"))
}

// textStyle gives a report the colours of the terminal.
type textStyle struct{ Theme terminal.Theme }

// Heading, Urgent, Good and Muted are those of report.Style.
func (s textStyle) Heading(text string) string { return s.Theme.Title.Render(text) }
func (s textStyle) Urgent(text string) string  { return s.Theme.Bad.Render(text) }
func (s textStyle) Good(text string) string    { return s.Theme.Good.Render(text) }
func (s textStyle) Muted(text string) string   { return s.Theme.Faint.Render(text) }
