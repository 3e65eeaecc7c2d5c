package page

// Style colours text for a terminal; each method returns the text with its markup,
// of the same width when printed.
type Style interface {
	Heading(text string) string
	Urgent(text string) string // an interrupt, degraded health
	Good(text string) string   // corrected, heeded, improved
	Muted(text string) string  // what is less important
}

// PlainStyle is a [Style] that returns text unchanged.
type PlainStyle struct{}

// Heading returns text unchanged.
func (PlainStyle) Heading(text string) string { return text }

// Urgent returns text unchanged.
func (PlainStyle) Urgent(text string) string { return text }

// Good returns text unchanged.
func (PlainStyle) Good(text string) string { return text }

// Muted returns text unchanged.
func (PlainStyle) Muted(text string) string { return text }
