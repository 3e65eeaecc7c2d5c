// Package failure finds the lines of a program's output that report a failure: failed tests,
// compiler errors, stack traces, panics (SW-3, SW-4). What such lines look like is data
// (rules/failure.yaml).
package failure

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Only the first and last part of longer texts are searched: failures are reported at one end.
const (
	headBytes = 16 << 10
	tailBytes = 48 << 10
)

type config struct {
	Patterns []form `yaml:"patterns"`
}

type form struct {
	ID      string          `yaml:"id"`
	Pattern *pattern.Regexp `yaml:"pattern" pattern:"lines,long"`
	Weight  int             `yaml:"weight"`
	Strong  bool            `yaml:"strong"`
	// Reported patterns only locate the line of a failure that is known by other means.
	Reported bool `yaml:"reported"`
}

// Finder finds failure lines. It is safe for concurrent use.
type Finder struct {
	patterns []form
	any      *pattern.Set
}

// Line is a line that reports a failure.
type Line struct {
	Start, End int    // bytes into the text
	ID         string // of the pattern
	Strong     bool   // indicates a failure in any text
}

// New returns a finder for the section "failure" of the rules.
func New(set *rules.Set) (*Finder, error) {
	var c config
	if err := set.Decode("failure", &c); err != nil {
		return nil, fmt.Errorf("load failure patterns: %w", err)
	}
	f := &Finder{patterns: c.Patterns}
	sources := make([]string, len(f.patterns))
	for i := range f.patterns {
		sources[i] = f.patterns[i].Pattern.String()
	}
	var err error
	if f.any, err = pattern.Trusted.Set("patterns", sources); err != nil {
		return nil, fmt.Errorf("load failure patterns: %w", err)
	}
	return f, nil
}

// Find returns the line that best describes a failure, if text reports one. With reported, the text
// is known to come from a failure, and weaker hints count too.
func (f *Finder) Find(text string, reported bool) (Line, bool) {
	part, from := text, 0
	if len(text) > headBytes+tailBytes {
		from = strings.LastIndexByte(text[:len(text)-tailBytes], '\n') + 1
		part = text[from:]
	}
	if line, ok := f.find(part, reported); ok {
		line.Start, line.End = line.Start+from, line.End+from
		return line, true
	}
	if from == 0 {
		return Line{}, false
	}
	return f.find(text[:headBytes], reported)
}

func (f *Finder) find(text string, reported bool) (Line, bool) {
	best := -1
	strong := false
	for _, id := range f.any.Find(text) {
		p := &f.patterns[id]
		if p.Reported && !reported {
			continue
		}
		strong = strong || p.Strong
		if best < 0 || p.Weight > f.patterns[best].Weight || p.Weight == f.patterns[best].Weight && id < best {
			best = id
		}
	}
	if best < 0 {
		return Line{}, false
	}
	at := f.patterns[best].Pattern.FindStringIndex(text)
	if at == nil {
		return Line{}, false
	}
	return Line{Start: at[0], End: at[1], ID: f.patterns[best].ID, Strong: strong}, true
}
