package backtest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
)

// Range lists the values of a setting to try.
type Range struct {
	Setting string
	Values  []float64
}

const (
	maxSettings = 2
	maxPoints   = 100
)

// ParseRanges parses SETTING=LOW..HIGH/STEP and SETTING=VALUE,VALUE…
func ParseRanges(texts []string) ([]Range, error) {
	if len(texts) > maxSettings {
		return nil, fmt.Errorf("--sweep: at most %d settings at once", maxSettings)
	}
	out := make([]Range, 0, len(texts))
	points := 1
	for _, text := range texts {
		setting, values, ok := strings.Cut(text, "=")
		if !ok || setting == "" {
			return nil, fmt.Errorf("--sweep %q: want SETTING=LOW..HIGH/STEP, such as session.fire=3.0..4.5/0.5", text)
		}
		list, err := parseValues(values)
		if err != nil {
			return nil, fmt.Errorf("--sweep %q: %w", text, err)
		}
		out = append(out, Range{setting, list})
		points *= len(list)
	}
	if points > maxPoints {
		return nil, fmt.Errorf("--sweep: %d points, at most %d are tried at once", points, maxPoints)
	}
	return out, nil
}

func parseValues(text string) ([]float64, error) {
	low, rest, ranged := strings.Cut(text, "..")
	if !ranged {
		var list []float64
		for _, one := range strings.Split(text, ",") {
			value, err := number(one)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	}
	high, by, stepped := strings.Cut(rest, "/")
	if !stepped {
		return nil, fmt.Errorf("no step: add one, such as %s/0.5", text)
	}
	from, err := number(low)
	if err != nil {
		return nil, err
	}
	to, err := number(high)
	if err != nil {
		return nil, err
	}
	step, err := number(by)
	if err != nil {
		return nil, err
	}
	if step <= 0 || to < from || (to-from)/step >= maxPoints {
		return nil, fmt.Errorf("want LOW..HIGH/STEP with LOW ≤ HIGH and at most %d steps", maxPoints)
	}
	var list []float64
	for i := range int(math.Floor((to-from)/step+1e-9)) + 1 {
		list = append(list, math.Round((from+float64(i)*step)*1e6)/1e6) // 3.0+2×0.1 must be 3.2
	}
	return list, nil
}

func number(text string) (float64, error) {
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(value) || math.Abs(value) > 1e9 {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return value, nil
}

// Points returns every combination of the values, the last setting changing fastest.
func Points(ranges []Range) [][]float64 {
	points := [][]float64{nil}
	for _, r := range ranges {
		var next [][]float64
		for _, p := range points {
			for _, value := range r.Values {
				next = append(next, append(p[:len(p):len(p)], value))
			}
		}
		points = next
	}
	return points
}

// Summary describes the input of a sweep and what the current rules decide on it.
func (c *Comparison) Summary() view.Model {
	m := c.Result(0)
	m.Detectors, m.Effects, m.Series = nil, nil, nil
	return m
}
