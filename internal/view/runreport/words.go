package runreport

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// words are a code as people read it.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }

// local is a time as the reader's clock shows it (CO-9b).
func (m Model) local(at time.Time) time.Time {
	if m.Zone == nil {
		return at.UTC()
	}
	return at.In(m.Zone)
}

func (m Model) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return m.local(at).Format("15:04:05")
}

// issueWords names an issue: "explorer/rabbit_hole" is the rabbit hole of an explorer.
func issueWords(issue string) string {
	about, what, cut := strings.Cut(issue, "/")
	if !cut {
		return quote.Path(words(issue))
	}
	return quote.Path(words(about)) + ", " + quote.Path(words(what))
}

// amount is a number without zeros at its end.
func amount(x float64, unit string) string {
	return strings.TrimSpace(strconv.FormatFloat(x, 'f', -1, 64) + " " + mentioned(unit))
}

func score(x *float64) string {
	if x == nil {
		return "none"
	}
	return strconv.FormatFloat(*x, 'f', 2, 64)
}

func cycleText(c Cycle) string {
	text := page.Plural(c.Open, "finding open", "findings open")
	if c.Critical > 0 {
		text += fmt.Sprintf(" (%d critical)", c.Critical)
	}
	for _, n := range []struct {
		count int
		what  string
	}{{c.Resolved, "resolved"}, {c.New, "new"}, {c.Persistent, "persistent"}, {c.Regressed, "regressed"}} {
		if n.count > 0 { // zeros are not printed (CO-9b)
			text += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	return text
}

func percent(share float64) string { return strconv.Itoa(int(share*100+0.5)) + " %" }

// times is how often something happened.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
