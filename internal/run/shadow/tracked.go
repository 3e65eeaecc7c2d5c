package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// tracked is a finding as the run carries it across cycles; the last word on its
// state wins.
type tracked struct {
	Finding runevents.Finding `json:"finding"`
	Event   string            `json:"event"`            // that reported it last
	Worked  bool              `json:"worked,omitempty"` // an agent worked on it since
	Absent  bool              `json:"absent,omitempty"` // the last list of a cycle left it out
	Cycle   int               `json:"cycle,omitempty"`  // that reported it last
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

// carried reports whether the finding is still carried along: nobody reported it as
// fixed or worked on since it was last reported.
func (t *tracked) carried() bool { return t.Finding.State != stateFixed && !t.Worked }

// track folds findings that an event reports.
func (c *Context) track(findings []runevents.Finding) {
	for _, f := range findings[:min(len(findings), maxFindings)] {
		f = c.normal(f)
		known := c.known(&f)
		if known == nil {
			c.run.Findings = appendBounded(c.run.Findings, tracked{}, c.config.Kept.Findings)
			known = &c.run.Findings[len(c.run.Findings)-1]
		} else {
			f = completed(f, &known.Finding)
		}
		*known = tracked{Finding: f, Event: c.Event.ID, Cycle: c.run.Cycle}
	}
}

// completed returns a finding with what was known before where the new report omits
// it; its state is the new one.
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
		return nil // another id is another finding
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

// maxCompared bounds the findings of one place that a finding without an id is
// compared with, the latest first.
const maxCompared = 64

// listed folds the findings of a whole cycle: any other is gone.
func (c *Context) listed(findings []runevents.Finding) {
	for i := range c.run.Findings {
		c.run.Findings[i].Absent = true
	}
	c.track(findings)
}

// worked notes the findings that an agent worked on.
func (c *Context) worked(ids []string) {
	for _, id := range ids {
		for i := range c.run.Findings {
			if c.run.Findings[i].Finding.ID == id && id != "" {
				c.run.Findings[i].Worked = true
			}
		}
	}
}

func shortText(text string, limit int) string { return reading.Shorten(text, limit) }
