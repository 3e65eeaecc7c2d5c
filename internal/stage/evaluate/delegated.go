package evaluate

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxConsulted bounds the files listed for one turn.
const maxConsulted = 8

// maxLead is how many turns before a subagent is started a stated hypothesis still
// counts.
const maxLead = 3

// delegation observes what the pipeline layer needs to know about a session of a run
// (PL-20): the files of earlier phases that it reads, and whether it states a hypothesis
// before it starts a subagent.
func (c *config) delegation(o *sessionevents.Observations, s *session, t *sessionevents.TurnSegmented) {
	if t.Run == "" {
		return
	}
	for i := range t.Segments {
		segment := &t.Segments[i]
		if segment.Kind == sessionevents.SegmentPlan && c.Hypothesis.MatchString(segment.Text) {
			s.Expected = t.Turn
		}
		if segment.Tool == nil || segment.Rejected {
			continue
		}
		for _, path := range c.shows(segment) {
			path = s.registry.Path(path)
			if len(o.Consulted) < maxConsulted && !slices.Contains(o.Consulted, path) &&
				c.HandedOver.Files.MatchString(path) && !c.HandedOver.Except.MatchString(path) {
				o.Consulted = append(o.Consulted, path)
			}
		}
		if segment.Tool.Canonical != sessionevents.ToolAgent ||
			s.Expected > 0 && t.Turn-s.Expected <= maxLead || c.Hypothesis.MatchString(string(segment.Tool.Input)) {
			continue
		}
		o.Unguided++
	}
}

// shows returns the files whose contents a call shows, those that a command opens in a program of its own
// among them: `git show HEAD:x`, `cp x /tmp`, `python3 -c "open('x')"`.
func (c *config) shows(segment *sessionevents.Segment) []string {
	var out []string
	for _, access := range segment.Accesses {
		if access.Kind == sessionevents.AccessRead || access.Kind == sessionevents.AccessSearch {
			out = append(out, access.Target)
		}
	}
	for _, found := range c.HandedOver.Opened.FindAllStringSubmatch(segment.Tool.Command, maxConsulted) {
		out = append(out, found[1:]...)
	}
	return out
}
