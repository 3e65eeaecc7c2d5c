package notice

import "slices"

// weights rank the notices that follow from one event: a break includes what a denied gate says and more,
// and that what an escalation says.
var weights = []string{KindEscalation, KindGate, KindBreak}

// covers reports whether a weightier notice, sent or pending, already reports the same cause on the
// channel. Lighter pending notices are removed in favour of n.
func (s *State) covers(channel string, n Notice) bool {
	weight := slices.Index(weights, n.Kind)
	if n.Cause == "" || weight < 0 {
		return false
	}
	compared := func(o Notice) int { // -1: lighter, of the same cause
		if o.Cause != n.Cause || o.Subject != n.Subject || !slices.Contains(weights, o.Kind) {
			return 0
		}
		return slices.Index(weights, o.Kind) - weight
	}
	groups := s.around(channel, n)
	for _, g := range groups {
		heavier := func(o Notice) bool { return compared(o) > 0 }
		if slices.ContainsFunc(g.Waiting, heavier) || slices.ContainsFunc(g.Open, heavier) {
			return true
		}
	}
	for _, g := range groups {
		g.Waiting = slices.DeleteFunc(g.Waiting, func(o Notice) bool { return compared(o) < 0 })
	}
	return false
}

// around returns the groups in which a notice of the same cause may be.
func (s *State) around(channel string, n Notice) []*Group {
	var out []*Group
	look := func(g Group) {
		if known := s.Groups[g.key()]; known != nil {
			out = append(out, known)
		}
	}
	for _, kind := range weights {
		look(Group{Channel: channel, Layer: n.Layer, Run: n.Subject, Kind: kind})
	}
	look(Group{Channel: channel, Layer: n.Layer, Gathers: gathersDigest})
	for _, gathers := range []string{gathersHeld, gathersLate, gathersBurst} {
		look(Group{Channel: channel, Gathers: gathers})
	}
	return out
}
