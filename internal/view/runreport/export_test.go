package runreport

import (
	"io"
	"slices"
)

// RenderParts writes only the parts of those titles, for tests.
func RenderParts(w io.Writer, m Model, titles []string) error {
	s := &screen{style: plainStyle{}}
	for _, one := range layOut(m) {
		if slices.Contains(titles, one.Title) && !one.nothing() {
			s.part(one)
		}
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// Parts is how many parts a report has.
func Parts(m Model) int { return len(layOut(m)) }

type plainStyle struct{}

func (plainStyle) Heading(text string) string { return text }
func (plainStyle) Urgent(text string) string  { return text }
func (plainStyle) Good(text string) string    { return text }
func (plainStyle) Muted(text string) string   { return text }
