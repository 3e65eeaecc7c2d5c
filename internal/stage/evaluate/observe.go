package evaluate

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// observe returns what the report says about a turn besides its signals (DP-31, DP-33).
func (m *Machine) observe(s *session, t *sessionevents.TurnSegmented, additions *registry.Turn) *sessionevents.Observations {
	o := &sessionevents.Observations{
		Segments: map[sessionevents.SegmentKind]int{}, RedFlags: additions.RedFlags, FilesRead: len(additions.FilesRead),
		Evicted: s.registry.Evicted(), Unsupported: t.Unsupported, Continuity: t.Continuity, Usage: t.Usage,
		NoBaseline: !s.registry.Baseline.Known, Bytes: t.Bytes, StopReason: t.StopReason,
	}
	for i := range t.Segments {
		m.observeSegment(o, s, &t.Segments[i])
	}
	m.rules.delegation(o, s, t)
	if t.Agent != (sessionevents.Agent{}) && t.Agent != s.Agent {
		s.Agent = t.Agent
		o.Agent = &t.Agent
	}
	return o
}

// maxAsked bounds the part of a request that identifies a session, in characters.
const maxAsked = 160

// beginning returns the first words of a request, on one line.
func beginning(request string) string {
	words := []rune(text.Line(request))
	if len(words) <= maxAsked {
		return string(words)
	}
	s := string(words[:maxAsked])
	if at := strings.LastIndexByte(s, ' '); at > 0 {
		s = s[:at]
	}
	return s + " …"
}

func (m *Machine) observeSegment(o *sessionevents.Observations, s *session, segment *sessionevents.Segment) {
	o.Segments[segment.Kind]++
	if segment.Kind == sessionevents.SegmentTool && segment.Rejected {
		o.Refused++
	}
	switch {
	case segment.Kind == sessionevents.SegmentError:
		o.Errors++
	case segment.Kind != sessionevents.SegmentDiff || segment.Diff == nil || segment.Diff.Failed || segment.Proposed || segment.Rejected:
		return
	default:
		o.LinesAdded += len(segment.Diff.Added())
		o.LinesGone += len(segment.Diff.Removed())
		path := s.registry.Path(segment.Path)
		o.TestsAdded += m.rules.TestCases.added(path, segment.Diff)
		if path == "" || slices.Contains(o.FilesEdited, path) {
			return
		}
		o.FilesEdited = append(o.FilesEdited, path)
		if m.files.Is(path, files.Test) {
			o.TestsEdited++
		}
	}
}

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
