package evaluate

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// observe says what the report tells about a turn beside its signals (DP-31,
// DP-33).
func (m *Machine) observe(s *session, t *events.TurnSegmented, additions *registry.Turn) *events.Observations {
	o := &events.Observations{
		Segments: map[events.SegmentKind]int{}, RedFlags: additions.RedFlags, FilesRead: len(additions.FilesRead),
		Evicted: s.registry.Evicted(), Unsupported: t.Unsupported, Continuity: t.Continuity, Usage: t.Usage,
		NoBaseline: !s.registry.Baseline.Known, Bytes: t.Bytes, StopReason: t.StopReason,
	}
	for i := range t.Segments {
		m.observeSegment(o, s, &t.Segments[i])
	}
	if t.Agent != (events.Agent{}) && t.Agent != s.Agent {
		s.Agent = t.Agent
		o.Agent = &t.Agent
	}
	return o
}

func (m *Machine) observeSegment(o *events.Observations, s *session, segment *events.Segment) {
	o.Segments[segment.Kind]++
	switch {
	case segment.Kind == events.SegmentError:
		o.Errors++
	case segment.Kind != events.SegmentDiff || segment.Diff == nil || segment.Diff.Failed || segment.Proposed || segment.Rejected:
		return
	default:
		o.LinesAdded += len(segment.Diff.Added())
		o.LinesGone += len(segment.Diff.Removed())
		path := s.registry.Path(segment.Path)
		o.TestsAdded += m.cases.added(path, segment.Diff)
		if path == "" || slices.Contains(o.FilesEdited, path) {
			return
		}
		o.FilesEdited = append(o.FilesEdited, path)
		if m.tests.MatchString(path) {
			o.TestsEdited++
		}
	}
}
