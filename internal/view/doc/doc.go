// Package doc is the one model that every report is laid out in, and its writers: text for a
// terminal, Markdown, HTML, JSON. A report says what it has to say once, as a [Document] of
// parts and blocks; each writer makes the texts safe for its own form, since agents and people
// wrote them.
package doc

import "html/template"

// Document is a report.
type Document struct {
	// Of names it in errors: "session 03a138".
	Of string
	// Heading is its title; in HTML that of the page.
	Heading string
	// Name is its title on a page, below the heading; Brief is added to it where it is folded.
	Name, Brief string
	// Anchor begins the anchors of its parts on a page.
	Anchor string
	// Quiet is a document with nothing to say, which a page with several folds.
	Quiet bool
	// Lead comes before the first part.
	Lead  []Block
	Parts []Part
	// Tail is the last line in text.
	Tail string
}

// Part is a heading and what it is about.
type Part struct {
	Title string
	// Key ends its anchor; without one it is counted.
	Key    string
	Blocks []Block
	// Empty replaces nothing in Markdown and HTML; "" leaves an empty part out.
	Empty string
	// Always keeps the part in text too, where parts that have nothing are left out.
	Always bool
	// Prescribed writes the heading as the first source's template has it (DP-31).
	Prescribed bool
	// Explain marks how things were decided and counted: behind one click in HTML, after
	// --explain in text (CO-9b).
	Explain bool
	// Not leaves the part out of these forms.
	Not Form
}

// Form is a set of forms.
type Form uint8

// Forms.
const (
	Text Form = 1 << iota
	Markdown
	HTML
)

// Nothing reports whether a part has no content.
func (p Part) Nothing() bool {
	for _, b := range p.Blocks {
		if !b.empty() {
			return false
		}
	}
	return true
}

// in reports whether a form shows the part.
func (p Part) in(f Form) bool {
	return p.Not&f == 0 && (!p.Nothing() || p.Empty != "" && f != Text || p.Always)
}

// Add appends blocks.
func (p *Part) Add(blocks ...Block) { p.Blocks = append(p.Blocks, blocks...) }

// Say appends a line to the list that ends the part.
func (p *Part) Say(text string) { p.SayAs(Plain, text) }

// SayAs is [Part.Say] with a tone.
func (p *Part) SayAs(as Tone, text string) {
	if n := len(p.Blocks); n > 0 {
		if list, is := p.Blocks[n-1].(*List); is {
			list.Items = append(list.Items, Entry{Text: text, Tone: as})
			return
		}
	}
	p.Add(&List{Items: []Entry{{Text: text, Tone: as}}})
}

// Tone says how a text is to be taken.
type Tone string

// Tones.
const (
	Plain Tone = ""
	Bad   Tone = "bad"
	Good  Tone = "good"
	Faint Tone = "note"
	Title Tone = "title"
)

// When returns a tone where it applies.
func When(matters bool, as Tone) Tone {
	if matters {
		return as
	}
	return Plain
}

// Block is one of the types below.
type Block interface {
	// Kind names the template of the block.
	Kind() string
	empty() bool
}

// Except leaves a block out of forms.
func Except(not Form, b Block) Block { return &except{b, not} }

type except struct {
	Block
	not Form
}

// in returns the blocks of a form.
func (f Form) in(blocks []Block) []Block {
	var list []Block
	for _, b := range blocks {
		if e, is := b.(*except); is {
			if e.not&f != 0 {
				continue
			}
			b = e.Block
		}
		if t, is := b.(*Table); is && f != Markdown {
			b = t.withoutZeros()
		}
		if !b.empty() {
			list = append(list, b)
		}
	}
	return list
}

// none are the cells that say that there is nothing.
var none = map[string]bool{"": true, "0": true, "–": true}

// withoutZeros is the table as a person reads it: cells that say nothing are blank, columns of them left out
// (CO-9b). Markdown, which is handed on, keeps them.
func (t *Table) withoutZeros() *Table {
	kept := make([]bool, len(t.Columns))
	for _, row := range t.Rows {
		for i := range row {
			kept[i] = kept[i] || i <= t.named || !none[row[i].Text] || row[i].Bar != nil
		}
	}
	shown := &Table{Caption: t.Caption, Figures: t.Figures}
	for i, name := range t.Columns {
		if kept[i] {
			shown.Columns = append(shown.Columns, name)
		}
	}
	for _, row := range t.Rows {
		var cells []Cell
		for i, cell := range row {
			if !kept[i] {
				continue
			}
			if none[cell.Text] && i > t.named {
				cell.Text = ""
			}
			cells = append(cells, cell)
		}
		shown.Rows = append(shown.Rows, cells)
	}
	return shown
}

// Paragraph is a text of its own.
type Paragraph struct {
	Label string // before it, in bold
	Text  string
	// Form is a sentence of ours with a %s for each of Args; it replaces Text.
	Form string
	Args []any
	Tone Tone
}

// Figures are numbers to be seen at once.
type Figures []Figure

// Figure is one number.
type Figure struct {
	Name, Value string
	Small       string // beside the value, in HTML
	Tone        Tone
	Page        bool // not in text, where another line says it
}

// List is lines that each stand for themselves.
type List struct {
	Items []Entry
	// Bare leaves the marks before the lines out of text.
	Bare bool
}

// Entry is a line.
type Entry struct {
	Text string
	Tone Tone
	// Command is what a person types, below it.
	Command string
	// Anchor is its place on a page, Link where it leads to.
	Anchor, Link string
}

// Card is one thing that needs more than a line.
type Card struct {
	Title string
	Tone  Tone
	// Class is the letter of a detector's class, "" for none.
	Class string
	// Anchor is its place on a page; Link is where Mark, the beginning of its title, leads to.
	Anchor, Link, Mark string
	Lines              []Entry
	Quotes             []Quote
	// Fold leaves the quotes to a click, and out of text and Markdown.
	Fold bool
}

// Say appends a line; an empty one is left out.
func (c *Card) Say(text string) { c.SayAs(Plain, text) }

// SayAs is [Card.Say] with a tone.
func (c *Card) SayAs(as Tone, text string) {
	if text != "" {
		c.Lines = append(c.Lines, Entry{Text: text, Tone: as})
	}
}

// Quote is words of the record with their place.
type Quote struct {
	Place, Against string
	// Brief is the quote in one line, for text and Markdown; "" leaves it out there.
	Brief string
	Lines []QuoteLine
	Flow  []Step
}

// QuoteLine is a line of a quote; Number is that in the file, 0 where it is not known.
type QuoteLine struct {
	Number int
	Pieces []Piece
}

// Piece is a part of a line.
type Piece struct {
	Text   string
	Marked bool
}

// Step is a step of a value's way.
type Step struct {
	Role, Code string
	Number     int
}

// Table has rows of as many cells as it has columns; the first column names the row.
type Table struct {
	Caption string
	Columns []string
	Rows    [][]Cell
	// Figures sets the other columns to the right.
	Figures bool

	named int // columns after the first that name a row too
}

// Cell is one of a table.
type Cell struct {
	Text string
	Link string
	Tone Tone
	Bar  *Bar
}

// Row appends a row of texts.
func (t *Table) Row(cells ...string) {
	row := make([]Cell, len(cells))
	for i, text := range cells {
		row[i].Text = text
	}
	t.Rows = append(t.Rows, row)
}

// Bar is segments side by side; Scale is the length of the longest bar beside it.
type Bar struct {
	Scale, Total int
	Segments     []Segment
}

// Add appends a segment; an empty one is left out.
func (b *Bar) Add(class string, size int, words string) {
	if size > 0 {
		b.Segments = append(b.Segments, Segment{Class: class, Words: words, From: b.Total, Size: size})
		b.Total += size
	}
}

// Segment is a part of a bar or an entry of a legend.
type Segment struct {
	Class, Words string
	From, Size   int
}

// Timeline is what happened in order.
type Timeline struct{ Groups []Moment }

// Moment is one thing of a timeline to unfold, or several of the same kind.
type Moment struct {
	Name, Anchor, Note string
	Badges             []Badge
	Items              []Entry
	Quiet, Lost, Open  bool
}

// Badge is a few words beside a name.
type Badge struct{ Class, Words string }

// Picture is a drawing; the words beside it say the same, and text and Markdown have those alone.
type Picture struct {
	Legend []Segment
	SVG    template.HTML
	Words  string
}

// Kind implements [Block].
func (*Paragraph) Kind() string { return "paragraph" }

// Kind implements [Block].
func (Figures) Kind() string { return "figures" }

// Kind implements [Block].
func (*List) Kind() string { return "list" }

// Kind implements [Block].
func (*Card) Kind() string { return "card" }

// Kind implements [Block].
func (*Table) Kind() string { return "table" }

// Kind implements [Block].
func (*Timeline) Kind() string { return "timeline" }

// Kind implements [Block].
func (*Picture) Kind() string { return "picture" }

func (p *Paragraph) empty() bool { return p.Text == "" && p.Form == "" }
func (f Figures) empty() bool    { return len(f) == 0 }
func (l *List) empty() bool      { return len(l.Items) == 0 }
func (*Card) empty() bool        { return false }
func (t *Table) empty() bool     { return len(t.Rows) == 0 }
func (t *Timeline) empty() bool  { return len(t.Groups) == 0 }
func (p *Picture) empty() bool   { return p.SVG == "" && p.Words == "" && len(p.Legend) == 0 }

// Lines is a list of plain lines.
func Lines(texts []string) *List {
	l := &List{}
	for _, text := range texts {
		l.Items = append(l.Items, Entry{Text: text})
	}
	return l
}

// TablePart returns a part with an empty table; see [Part.Row].
func TablePart(title string, columns ...string) Part {
	return Part{Title: title, Blocks: []Block{&Table{Columns: columns}}}
}

// AddRow appends a row to the part's table.
func (p *Part) AddRow(row []Cell) {
	t := p.table()
	t.Rows = append(t.Rows, row)
}

// Row appends a row of texts to the part's table.
func (p *Part) Row(cells ...string) { p.table().Row(cells...) }

// Rows are those of the part's table.
func (p *Part) Rows() [][]Cell { return p.table().Rows }

func (p *Part) table() *Table {
	for _, b := range p.Blocks {
		if t, is := b.(*Table); is {
			return t
		}
	}
	t := &Table{}
	p.Add(t)
	return t
}

// NamedBy says that the first n columns of the part's table name a row: its content is never left out.
func (p *Part) NamedBy(n int) { p.table().named = n - 1 }

// FiguresPart is [TablePart] with figures in all columns but the first.
func FiguresPart(title string, columns ...string) Part {
	p := TablePart(title, columns...)
	p.table().Figures = true
	return p
}
