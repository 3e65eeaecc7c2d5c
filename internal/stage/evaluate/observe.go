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
