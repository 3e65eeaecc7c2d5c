package backtest

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
)

// Condition limits how much may change: WAY:KIND[:DETECTOR]>N.
type Condition struct {
	Way      string // gained, lost, moved or changed
	Kind     string // a kind, or any
	Detector string // "" for all
	// Most is the largest number that is allowed.
	Most int
	text string
}

var condition = pattern.Must(`^(\w+):(\w+)(?::([^>:\s]+))?(>=?)(\d+)$`)

// ParseConditions parses conditions; its errors list what is allowed.
func ParseConditions(texts []string) ([]Condition, error) {
	var out []Condition
	for _, text := range texts {
		m := condition.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("--fail-on %q: want WAY:KIND[:DETECTOR]>N, such as gained:fire>5 or lost:any:B1>0", text)
		}
		if ways := []string{"gained", "lost", "moved", "changed"}; !slices.Contains(ways, m[1]) {
			return nil, fmt.Errorf("--fail-on %q: %q is not a way; allowed are gained, lost, moved and changed", text, m[1])
		}
		if m[2] != "any" && !slices.Contains(view.Kinds(), view.Kind(m[2])) {
			return nil, fmt.Errorf("--fail-on %q: %q is not a kind; allowed are %v and any", text, m[2], view.Kinds())
		}
		most, err := strconv.Atoi(m[5])
		if err != nil {
			return nil, fmt.Errorf("--fail-on %q: %w", text, err)
		}
		if m[4] == ">=" {
			most--
		}
		out = append(out, Condition{Way: m[1], Kind: m[2], Detector: m[3], Most: most, text: text})
	}
	return out, nil
}

// String returns the condition in the syntax of ParseConditions.
func (c Condition) String() string { return c.text }

// Holds counts the changes that match the condition and reports whether it holds.
func (c Condition) Holds(changes []view.Change) (count int, holds bool) {
	for _, change := range changes {
		if (c.Way == "changed" || c.Way == string(change.Way)) &&
			(c.Kind == "any" || c.Kind == string(change.Kind)) && (c.Detector == "" || c.Detector == change.Detector) {
			count++
		}
	}
	return count, count > c.Most
}
