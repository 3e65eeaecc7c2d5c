package page

// Style puts colours to text for a terminal; each method returns the text with
// whatever marks it, of the same width when printed.
type Style interface {
	Heading(text string) string
	Urgent(text string) string // an interrupt, degraded health
	Good(text string) string   // corrected, heeded, improved
	Muted(text string) string  // what is of less weight
}

// PlainStyle leaves text as it is.
type PlainStyle struct{}

// Heading leaves text as it is.
func (PlainStyle) Heading(text string) string { return text }

// Urgent leaves text as it is.
func (PlainStyle) Urgent(text string) string { return text }

// Good leaves text as it is.
func (PlainStyle) Good(text string) string { return text }

// Muted leaves text as it is.
func (PlainStyle) Muted(text string) string { return text }
