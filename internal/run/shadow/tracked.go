package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// tracked is a finding that the run carries across cycles; the last reported state
// counts.
type tracked struct {
	Finding runevents.Finding `json:"finding"`
	Event   string            `json:"event"`            // event that last reported it
	Worked  bool              `json:"worked,omitempty"` // an agent has worked on it since
	Absent  bool              `json:"absent,omitempty"` // it was not in the last list of a cycle
	Cycle   int               `json:"cycle,omitempty"`  // cycle that last reported it
}

// Finding states.
const (
	stateFixed    = "fixed"
	stateDeferred = "deferred"
)

// open reports whether the finding still needs a fix, as far as is known.
func (t *tracked) open() bool {
	return t.Finding.State != stateFixed && t.Finding.State != stateDeferred && !t.Worked && !t.Absent
}

// carried reports whether the finding is still carried along: since it was last reported,
// it has been neither fixed nor worked on.
func (t *tracked) carried() bool { return t.Finding.State != stateFixed && !t.Worked }

// track folds the findings that an event reports.
func (c *Context) track(findings []runevents.Finding) {
	for _, f := range findings[:min(len(findings), maxFindings)] {
		f = c.config.normal(f)
		known := c.known(&f)
		if known == nil {
			c.run.Findings = text.Newest(append(c.run.Findings, tracked{}), c.config.Kept.Findings)
			known = &c.run.Findings[len(c.run.Findings)-1]
		} else {
			f = completed(f, &known.Finding)
		}
		*known = tracked{Finding: f, Event: c.Event.ID, Cycle: c.run.Cycle}
	}
}

// completed returns a finding whose missing fields are filled in from the earlier report;
// its state is the new one.
func completed(f runevents.Finding, before *runevents.Finding) runevents.Finding {
	for _, text := range []struct {
		into *string
		from string
	}{{&f.ID, before.ID}, {&f.Category, before.Category}, {&f.File, before.File}, {&f.Text, before.Text}} {
		if *text.into == "" {
			*text.into = text.from
		}
	}
	if f.Severity == "" {
		f.Severity = before.Severity
	}
	return f
}

// known returns the same finding if it is tracked.
func (c *Context) known(f *runevents.Finding) *tracked {
	for i := range c.run.Findings {
		if t := &c.run.Findings[i]; f.ID != "" && t.Finding.ID == f.ID {
			return t
		}
	}
	if f.ID != "" {
		return nil // a different id is a different finding
	}
	concerns := c.config.compiled.concerns
	said := concerns.read(f.Text)
	compared := 0
	for i := len(c.run.Findings) - 1; i >= 0 && compared < maxCompared; i-- {
		t := &c.run.Findings[i]
		if t.Finding.ID != "" || !samePlace(&t.Finding, f) {
			continue
		}
		if compared++; concerns.saySame(concerns.read(t.Finding.Text), said) {
			return t
		}
	}
	return nil
}

// maxCompared bounds the findings of one place with which a finding without an id is
// compared, the latest first.
const maxCompared = 64

// listed folds the findings of a whole cycle: all others are gone.
func (c *Context) listed(findings []runevents.Finding) {
	for i := range c.run.Findings {
		c.run.Findings[i].Absent = true
	}
	c.track(findings)
}

// worked records the findings that an agent worked on.
func (r *runState) worked(ids []string) {
	for _, id := range ids {
		for i := range r.Findings {
			if r.Findings[i].Finding.ID == id && id != "" {
				r.Findings[i].Worked = true
			}
		}
	}
}
