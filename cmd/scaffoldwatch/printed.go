package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// printed reports whether `scan --output jsonl` prints a type.
func printed(t events.Type) bool {
	d, ok := events.Lookup(t)
	return ok && d.Printed()
}

// printSessions writes the people's text. Of several sessions those with
// nothing to say come first, a line each; the others follow in full, a blank
// line between two.
func printSessions(out io.Writer, theme terminal.Theme, sessions []sessionreport.Model) error {
	var text strings.Builder
	if len(sessions) > 1 {
		for _, m := range sessions {
			if quiet(m) {
				text.WriteString(summary(m, theme) + "\n")
			}
		}
	}
	for _, m := range sessions {
		if len(sessions) > 1 && quiet(m) {
			continue
		}
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		if err := sessionreport.RenderText(&text, m, theme.Width, textStyle{Theme: theme}); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// summary is a session in one line, broken only where a person reads it.
func summary(m sessionreport.Model, theme terminal.Theme) string {
	if !theme.Interactive {
		return sessionreport.Summary(m)
	}
	return strings.ReplaceAll(terminal.Wrap(sessionreport.Summary(m), theme.Width-2, 0), "\n", "\n  ")
}

// quiet reports a session about which there is nothing to say.
func quiet(m sessionreport.Model) bool {
	return len(m.Interrupts)+len(m.NotSent)+len(m.Logged)+len(m.Corrected)+len(m.Expired) == 0
}

// plural words a count of things named in the singular.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// textStyle gives a report the colours of the terminal.
type textStyle struct{ Theme terminal.Theme }

// Heading, Urgent, Good and Muted are those of report.Style.
func (s textStyle) Heading(text string) string { return s.Theme.Title.Render(text) }
func (s textStyle) Urgent(text string) string  { return s.Theme.Bad.Render(text) }
func (s textStyle) Good(text string) string    { return s.Theme.Good.Render(text) }
func (s textStyle) Muted(text string) string   { return s.Theme.Faint.Render(text) }
