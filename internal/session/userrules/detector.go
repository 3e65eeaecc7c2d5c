package userrules

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Load reads the section `userrules`. Errors name file, line, column and fix.
func Load(set *rules.Set) (*Config, error) {
	c := &Config{}
	if err := set.Decode(Section, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Detectors returns the user's detectors in the order of the file.
func Detectors(set *rules.Set) ([]*detect.Detector, error) {
	c, err := Load(set)
	if err != nil {
		return nil, err
	}
	var out []*detect.Detector
	for i := range c.Detectors {
		out = append(out, c.Detectors[i].detector(c.Limits))
	}
	return out, nil
}

// detector returns the detector for the suite.
func (r *Rule) detector(l Limits) *detect.Detector {
	mode := r.Mode
	if mode == "" {
		mode = rules.ModeOn
	}
	return &detect.Detector{
		ID: r.ID, Name: name(r.ID), Class: sessionevents.Class(r.Class), Title: r.Title, Doc: r.document(), Rules: []string{r.ID}, Mode: mode,
		New: func(*rules.Set) (detect.Instance, error) {
			p, problem := compile(r, l)
			if problem != nil {
				return nil, fmt.Errorf("rule %s: %w", r.ID, problem)
			}
			return &instance{program: p, limits: l}, nil
		},
	}
}

// name returns the letters of the id, as required for detectors' names.
func name(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.TrimPrefix(id, "U-")+"rule")
}
