package bundle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// identities counts the rules and configurations that events name.
type identities map[Identity]int

// add counts a message of the groups.
func (i identities) add(m proof.Message) {
	if rules := m.Header.Get("ce-rulesversion"); rules != "" {
		i[Identity{Rules: rules, Config: m.Header.Get("ce-confighash")}]++
	}
}

// list returns the identities in order.
func (i identities) list() (all []Identity) {
	for of, n := range i {
		of.Events = n
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b Identity) int { return strings.Compare(a.Rules+a.Config, b.Rules+b.Config) })
	return all
}

// contents collects from the lines what the manifest states too.
type contents struct {
	recorded identities
	decided  map[string]bool // groups with a decision
	through  time.Time
}

func (c *contents) add(stream events.Stream, at subjects.Subject, m proof.Message) {
	c.recorded.add(m)
	if stream == events.StreamDecisions {
		c.decided[at.Group] = true
	}
	if m.Time.After(c.through) {
		c.through = m.Time
	}
}

// compare reports where the manifest disagrees with the content: readers of a bundle rely on the manifest
// first.
func (c *contents) compare(m *Manifest) (faults []*Fault) {
	fault := func(what string) { faults = append(faults, &Fault{File: manifestFile, What: what}) }
	for i, group := range m.Groups {
		if !c.decided[group] || slices.Contains(m.Groups[:i], group) {
			fault(fmt.Sprintf("nothing in the bundle is decided about %.80q, or it is named twice", group))
		}
	}
	if !slices.Equal(c.recorded.list(), m.Recorded) {
		fault("the rules and configurations of the events differ from the manifest")
	}
	if !c.through.Equal(m.Through) {
		fault(fmt.Sprintf("the last message is of %s, not of %s", clock(c.through), clock(m.Through)))
	}
	return faults
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
