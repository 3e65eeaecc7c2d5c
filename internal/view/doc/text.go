package doc

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// Screen says how text is laid out.
type Screen struct {
	Width int        // columns; 0 or less: lines are not wrapped
	Style page.Style // nil is plain
	// Explain shows how things were decided and counted, too.
	Explain bool
}

// More says what else a report has.
const More = "--explain shows how it was decided, what was counted and what was watched."

// WriteText writes a document for a terminal. Parts with nothing are left out.
func WriteText(w io.Writer, d Document, s Screen) error {
	t := newScreen(s)
	if d.Heading != "" {
		t.line("", d.Heading, t.look(Title))
	}
	for _, b := range Text.in(d.Lead) {
		t.block("", b)
	}
	return t.finish(w, d, s)
}

// WriteParts writes the parts of a document, to follow something else.
func WriteParts(w io.Writer, d Document, s Screen) error {
	t := newScreen(s)
	return t.finish(w, d, s)
}

func (t *screen) finish(w io.Writer, d Document, s Screen) error {
	for _, p := range d.Parts {
		if p.in(Text) && (!p.Explain || s.Explain) {
			t.part(p)
		}
	}
	if d.Tail != "" && !s.Explain {
		t.WriteByte('\n')
		t.line("", d.Tail, t.look(Faint))
	}
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fmt.Errorf("write the report of %s: %w", d.Of, err)
	}
	return nil
}

// least is the narrowest a line is wrapped to; the longest words are wider.
const least = 20

// bullet is before an item.
const bullet = "  • "

// screen is text being laid out.
type screen struct {
	strings.Builder
	width int
	style page.Style
}

func newScreen(s Screen) *screen {
	if s.Style == nil {
		s.Style = page.PlainStyle{}
	}
	return &screen{width: s.Width, style: s.Style}
}

func (t *screen) look(as Tone) func(string) string {
	switch as {
	case Bad:
		return t.style.Urgent
	case Good:
		return t.style.Good
	case Faint:
		return t.style.Muted
	case Title:
		return t.style.Heading
	}
	return func(text string) string { return text }
}

// line writes a text after a mark, wrapped under its beginning. The look is put on each line by
// itself, so that it never crosses a border.
func (t *screen) line(mark, text string, look func(string) string) {
	t.under(mark, utf8.RuneCountInString(mark), text, look)
}

// hang is [screen.line] with the lines after the first two columns further in.
func (t *screen) hang(mark, text string, look func(string) string) {
	t.under(mark, utf8.RuneCountInString(mark)+2, text, look)
}

func (t *screen) under(mark string, indent int, text string, look func(string) string) {
	width := t.width
	if width > 0 {
		width = max(width-indent, least)
	}
	for i, l := range page.Wrap(page.Plain(text), width) {
		if i > 0 {
			mark = strings.Repeat(" ", indent)
		}
		t.WriteString(mark + look(l) + "\n")
	}
}

func (t *screen) part(p Part) {
	if p.Title != "" {
		t.WriteByte('\n')
		t.line("", p.Title, t.look(Title))
	}
	if p.Nothing() && p.Empty != "" {
		t.line("  ", p.Empty, t.look(Plain))
	}
	indent := "  "
	if p.Title == "" {
		indent = ""
	}
	for _, b := range Text.in(p.Blocks) {
		t.block(indent, b)
	}
}

func (t *screen) block(indent string, b Block) {
	switch b := b.(type) {
	case *Paragraph:
		t.line(indent, b.said(page.Plain), t.look(b.Tone))
	case Figures:
		var words []string
		for _, f := range b {
			if !f.Page && f.Value != "0" { // zeros are not printed (CO-9b)
				words = append(words, strings.ToLower(f.Name)+" "+f.Value)
			}
		}
		t.line(indent, strings.Join(words, ", "), t.look(Plain))
	case *List:
		for _, e := range b.Items {
			if b.Bare {
				t.hang("  ", e.Text, t.look(e.Tone))
				continue
			}
			t.line(bullet, e.Text, t.look(e.Tone))
			t.command(bullet, e.Command)
		}
	case *Card:
		t.card(b)
	case *Table:
		t.table(b)
	case *Timeline:
		for _, m := range b.Groups {
			t.line(bullet, m.words(), t.look(Plain))
		}
	case *Picture:
		if b.Words != "" {
			t.line(indent, b.Words, t.look(Plain))
		}
	}
}

func (t *screen) command(indent, command string) {
	if command != "" {
		t.line(strings.Repeat(" ", utf8.RuneCountInString(indent)+2), command, t.style.Good)
	}
}

func (t *screen) card(c *Card) {
	t.line("  ", c.Mark+c.Title, t.look(c.Tone))
	for _, l := range c.Lines {
		t.line("    ", l.Text, t.look(l.Tone))
		t.command("    ", l.Command)
	}
	for _, q := range c.quotes() {
		t.line("    ", q, t.style.Muted)
	}
}

// quotes are those of a card in one line each.
func (c *Card) quotes() (list []string) {
	if c.Fold {
		return nil
	}
	for _, q := range c.Quotes {
		if q.Brief != "" {
			list = append(list, q.Brief)
		}
	}
	return list
}

// said is a paragraph, its texts made safe.
func (p *Paragraph) said(safe func(string) string) string {
	if p.Form != "" {
		args := make([]any, len(p.Args))
		for i, a := range p.Args {
			args[i] = safe(fmt.Sprint(a))
		}
		return fmt.Sprintf(p.Form, args...)
	}
	if p.Label != "" {
		return p.Label + ": " + safe(p.Text)
	}
	return safe(p.Text)
}

// words are a moment in one line.
func (m Moment) words() string {
	texts := make([]string, 0, len(m.Items))
	for _, e := range m.Items {
		texts = append(texts, e.Text)
	}
	if len(texts) == 0 || m.Quiet {
		return m.Name
	}
	return m.Name + ": " + strings.Join(texts, "; ")
}

// table writes columns under each other where they fit, else a line for each row with the names
// of its columns.
func (t *screen) table(b *Table) {
	if len(b.Rows) == 0 {
		return
	}
	if b.Caption != "" {
		t.line("  ", b.Caption, t.look(Faint))
	}
	widths := make([]int, len(b.Columns))
	total := 2
	for i, name := range b.Columns {
		widths[i] = utf8.RuneCountInString(name)
		for _, row := range b.Rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(page.Plain(row[i].Text)))
		}
		total += widths[i] + 2
	}
	if t.width > 0 && total > t.width+2 {
		t.rows(b)
		return
	}
	head := make([]Cell, len(b.Columns))
	for i, name := range b.Columns {
		head[i].Text = name
	}
	t.WriteString("  " + t.style.Muted(b.aligned(head, widths)) + "\n")
	for _, row := range b.Rows {
		t.WriteString("  " + b.aligned(row, widths) + "\n")
	}
}

func (b *Table) aligned(cells []Cell, widths []int) string {
	var out strings.Builder
	for i, cell := range cells {
		text := page.Plain(cell.Text)
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
		if b.Figures && i > 0 {
			text, space = space, text
		}
		out.WriteString(text + space + "  ")
	}
	return strings.TrimRight(out.String(), " ")
}

// rows writes each row as a line. What is zero or not known is left out, so that a line says
// what there is.
func (t *screen) rows(b *Table) {
	for _, row := range b.Rows {
		var cells []string
		for i, cell := range row[1:] {
			if cell.Text != "" {
				cells = append(cells, strings.ToLower(b.Columns[i+1])+" "+cell.Text)
			}
		}
		text := row[0].Text
		if len(cells) > 0 {
			text += ": " + strings.Join(cells, ", ")
		}
		t.line(bullet, text, t.look(Plain))
	}
}
