package backtestreport

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderJSON writes the model, indented, with its schema version.
func RenderJSON(w io.Writer, m Model) error { return page.JSON(w, "the comparison", m) }

// most bounds the settings that are listed, and the changes of a list of text and
// Markdown; JSON has all.
const most = 100

// most bounds what follows from the rest more narrowly.
func (l list) most() int {
	switch l.kind {
	case KindSignal:
		return 10
	case KindQueue:
		return 20
	}
	return most
}

// RenderMarkdown writes the comparison as Markdown.
func RenderMarkdown(w io.Writer, m Model) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## SCAFFOLD-WATCH BACKTEST\n\n%s\n\n", page.Inline(headline(m)))
	for _, line := range head(m) {
		fmt.Fprintf(&b, "- %s\n", page.Inline(line))
	}
	for _, t := range tables(m) {
		fmt.Fprintf(&b, "\n**%s:**\n\n| %s |\n|---|%s\n", page.Inline(t.title), strings.Join(t.columns, " | "), strings.Repeat("---:|", len(t.columns)-1))
		for _, row := range t.rows {
			cells := make([]string, len(row))
			for i, cell := range row {
				cells[i] = page.Inline(cell)
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		}
	}
	section(&b, "Verdicts", verdicts(m))
	for _, l := range lists(m) {
		fmt.Fprintf(&b, "\n**%s:**\n\n", l.title)
		for i, c := range l.changes {
			if i == l.most() {
				fmt.Fprintf(&b, "- and %d more (all of them with --output json)\n", len(l.changes)-i)
				break
			}
			fmt.Fprintf(&b, "- %s\n", page.Inline(c.title()))
			for _, line := range c.lines() {
				fmt.Fprintf(&b, "  - %s\n", page.Inline(line))
			}
		}
	}
	section(&b, "Notes", notes(m))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	return nil
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n**%s:**\n\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "- %s\n", page.Inline(line))
	}
}

// RenderText writes the comparison for a terminal of that many columns, 0 for any.
func RenderText(w io.Writer, m Model, width int, style page.Style) error {
	if style == nil {
		style = page.PlainStyle{}
	}
	var b strings.Builder
	b.WriteString(style.Heading("SCAFFOLD-WATCH BACKTEST") + "\n")
	hang(&b, width, "", headline(m))
	for _, line := range head(m) {
		hang(&b, width, "  ", line)
	}
	for _, t := range tables(m) {
		b.WriteString("\n" + style.Heading(t.title) + "\n" + style.Muted(t.line(t.columns)) + "\n")
		for _, row := range t.rows {
			b.WriteString(t.line(row) + "\n")
		}
	}
	if list := verdicts(m); len(list) > 0 {
		b.WriteString("\n" + style.Heading("Verdicts") + "\n")
		for _, line := range list {
			hang(&b, width, "  ", line)
		}
	}
	for _, l := range lists(m) {
		b.WriteString("\n" + style.Heading(l.title) + "\n")
		for i, c := range l.changes {
			if i == l.most() {
				fmt.Fprintf(&b, "  and %d more (all of them with --output json)\n", len(l.changes)-i)
				break
			}
			hang(&b, width, "  ", c.title())
			for _, line := range c.lines() {
				hang(&b, width, "      ", line)
			}
		}
	}
	if list := notes(m); len(list) > 0 {
		b.WriteString("\n" + style.Heading("Notes") + "\n")
		for _, line := range list {
			hang(&b, width, "  ", line)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	return nil
}

// hang writes text with an indentation, and two more from its second line.
func hang(b *strings.Builder, width int, indentation, text string) {
	if width > 0 {
		width = max(width-len(indentation)-2, 20)
	}
	for i, line := range page.Wrap(page.Plain(text), width) {
		if i > 0 {
			line = "  " + line
		}
		b.WriteString(indentation + line + "\n")
	}
}

// head says what was compared.
func head(m Model) []string {
	list := []string{m.Source + ", " + span(m), "present: " + m.Present.String()}
	if m.Sweep == nil {
		list = append(list, "given: "+m.Given.String())
	}
	for i, s := range m.Settings {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more settings", len(m.Settings)-i))
			break
		}
		list = append(list, fmt.Sprintf("%s: %s → %s", s.Path, shown(s.Was), shown(s.Is)))
	}
	return list
}

// maxValue bounds a value that is shown, in characters.
const maxValue = 80

func shown(value string) string {
	if runes := []rune(value); len(runes) > maxValue {
		return string(runes[:maxValue-1]) + "…"
	}
	if value == "" {
		return "(none)"
	}
	return value
}

func verdicts(m Model) (list []string) {
	for _, d := range m.Detectors {
		if d.Interrupts.Present+d.Interrupts.Given > 0 {
			list = append(list, d.Verdict)
		}
	}
	return list
}

// list is the changes of one way and kind.
type list struct {
	title   string
	way     Way
	kind    Kind
	changes []Change
}

func lists(m Model) (all []list) {
	for _, kind := range Kinds() {
		for _, way := range []Way{Gained, Lost, Moved} {
			l := list{title: strings.ToUpper(string(way[:1])) + string(way[1:]) + " " + kind.plural(), way: way, kind: kind}
			for _, c := range m.Changes {
				if c.Kind == kind && c.Way == way {
					l.changes = append(l.changes, c)
				}
			}
			if len(l.changes) > 0 {
				all = append(all, l)
			}
		}
	}
	return all
}

// title names a change on one line.
func (c Change) title() string {
	var parts []string
	if c.Was != "" {
		parts = append(parts, c.Was)
	}
	if c.Is != "" {
		parts = append(parts, c.Is)
	}
	mark := ""
	if c.Depends {
		mark = " †"
	}
	name := c.Detector
	if c.About != "" {
		name += " (" + c.About + ")"
	}
	return fmt.Sprintf("%s: %s, %s%s", c.Group, name, strings.Join(parts, " → "), mark)
}

// lines are what there is to say about a change.
func (c Change) lines() (lines []string) {
	if c.Kind != KindQueue && c.Message != "" {
		lines = append(lines, c.Message)
	}
	if c.Evidence != "" {
		lines = append(lines, "evidence: "+c.Evidence)
	}
	if then := c.outcome(); then != "" {
		lines = append(lines, "then: "+then)
	}
	return lines
}

// line lays out a row: the first cell to the left, figures to the right.
func (t table) line(row []string) string {
	var b strings.Builder
	for i, cell := range row {
		width := utf8.RuneCountInString(t.columns[i])
		for _, other := range t.rows {
			width = max(width, utf8.RuneCountInString(other[i]))
		}
		space := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
		if i == 0 {
			b.WriteString("  " + cell + space)
		} else {
			b.WriteString("  " + space + cell)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
