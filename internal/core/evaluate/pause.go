package evaluate

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// pause says whether the turn holds a natural pause (DP-16).
func (s *session) pause(t *events.TurnSegmented) events.Pause {
	calls := false
	ended := s.EndedWithDiff
	s.EndedWithDiff = false
	for i := range t.Segments {
		segment := &t.Segments[i]
		calls = calls || segment.Tool != nil
		if ended && segment.Kind == events.SegmentPlan {
			return events.Pause{Natural: true, Why: "diff_then_plan"}
		}
		ended = segment.Kind == events.SegmentDiff
	}
	s.EndedWithDiff = ended
	if !calls {
		return events.Pause{Natural: true, Why: "end_of_response"}
	}
	return events.Pause{}
}
