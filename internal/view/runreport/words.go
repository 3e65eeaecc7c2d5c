package runreport

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// words are a code as people read it.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }

func clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format("15:04:05")
}

func day(at time.Time) string { return at.Format("2006-01-02 15:04:05") }

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
	if c.Compared {
		text += fmt.Sprintf(", %d resolved, %d new, %d persistent, %d regressed", c.Resolved, c.New, c.Persistent, c.Regressed)
	}
	return text
}

func percent(share float64) string { return strconv.Itoa(int(share*100+0.5)) + " %" }
