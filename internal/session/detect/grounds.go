package detect

import (
	"fmt"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Reading is the reason for only logging a signal that would be urgent enough: it rests
// on an interpretation of words that is not reliable enough (JD-2).
const Reading = "reading"

// grounds is the section grounds of the rule data, which explains each value.
type grounds struct {
	SpeaksFrom float64                      `yaml:"speaks_from" range:"0..1"`
	Readings   map[string]float64           `yaml:"readings"`
	Grounds    map[string]map[string]ground `yaml:"grounds"`
}

type ground struct {
	Facts    []string `yaml:"facts"`
	Readings []string `yaml:"readings"`
	// Absent is set if it rests on something that the session did not do (IN-1).
	Absent bool `yaml:"absent"`
}

// Unread is the reason for not dispatching a signal that rests on what a session did not
// do: some of its calls could not be read (IN-1).
const Unread = "calls unread"

func newGrounds(set *rules.Set) (*grounds, error) {
	g := &grounds{}
	if err := set.Decode("grounds", g); err != nil {
		return nil, err
	}
	for kind, precision := range g.Readings {
		if precision < 0 || precision > 1 {
			return nil, fmt.Errorf("section grounds: readings.%s is %v: give a share from 0 to 1", kind, precision)
		}
	}
	for detector, subclasses := range g.Grounds {
		for subclass, on := range subclasses {
			for _, kind := range on.Readings {
				if _, known := g.Readings[kind]; !known {
					return nil, fmt.Errorf("section grounds: grounds.%s.%q rests on the reading %q, which is not listed under readings", detector, subclass, kind)
				}
			}
		}
	}
	return g, nil
}

// weigh adds a basis to a finding (JD-1), and caps it so that it is only logged if that
// basis does not justify an interrupt (JD-2). The detector's own basis takes precedence.
func (g *grounds) weigh(f *found) {
	if f.Basis == nil {
		f.Basis = g.basis(f.by.ID, f.Subclass)
	}
	if len(f.Basis) == 0 || g.carries(f.Basis) {
		return
	}
	if Published(&f.Finding) > LogOnly {
		f.Withheld, f.Cap = Reading, LogOnly
	}
}

// of returns the entry for a kind of finding.
func (g *grounds) of(detector, subclass string) ground {
	if on, known := g.Grounds[detector][subclass]; known {
		return on
	}
	return g.Grounds[detector][""]
}

// basis returns the basis of a kind of finding according to the data; none for a user's
// own rule.
func (g *grounds) basis(detector, subclass string) []sessionevents.Ground {
	on := g.of(detector, subclass)
	var out []sessionevents.Ground
	for _, what := range on.Facts {
		out = append(out, sessionevents.Ground{Kind: sessionevents.GroundFact, What: what})
	}
	for _, what := range on.Readings {
		out = append(out, sessionevents.Ground{Kind: sessionevents.GroundReading, What: what})
	}
	return out
}

// carries reports whether a basis has at least one fact and at most one reading, of a
// kind that is right often enough.
func (g *grounds) carries(basis []sessionevents.Ground) bool {
	facts, readings := 0, 0
	for _, b := range basis {
		switch b.Kind {
		case sessionevents.GroundFact:
			facts++
		case sessionevents.GroundReading:
			if readings++; g.Readings[b.What] < g.SpeaksFrom {
				return false
			}
		}
	}
	return facts > 0 && readings <= 1
}
