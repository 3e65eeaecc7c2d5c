package runreport

import (
	"io"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderParts writes only the parts of those titles, for tests.
func RenderParts(w io.Writer, m Model, titles []string) error {
	s := &screen{page.NewScreen(0, nil)}
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
