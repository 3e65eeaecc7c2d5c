package notice

import "slices"

// crowded returns the channels that would get too many messages at once: something is due, and more groups
// are pending, or are to be repeated, than the limit allows.
func (r round) crowded() []string {
	s, now := r.s, r.now
	waiting, due, again := map[string]int{}, map[string]bool{}, map[string]int{}
	for _, g := range s.Groups {
		switch {
		case r.channels[g.Channel] == nil:
		case len(g.Waiting) > 0 && r.joins(g):
			waiting[g.Channel]++
			due[g.Channel] = due[g.Channel] || !g.Due.After(now)
		case r.nags(g):
			again[g.Channel]++
		}
	}
	var out []string
	for _, c := range r.settings.Channels {
		if due[c.ID] && waiting[c.ID] > r.words.Limits.Burst || again[c.ID] > r.words.Limits.Burst {
			out = append(out, c.ID)
		}
	}
	return out
}

// joins reports whether a group can be combined with others: not a digest, which has its own time, nor what
// is held for working hours.
func (r round) joins(g *Group) bool {
	if g.Gathers == gathersDigest || g.Gathers == gathersHeld {
		return false
	}
	return !slices.ContainsFunc(g.Waiting, func(n Notice) bool { return n.Held }) || r.windows[g.Channel].Open(r.now)
}

// nags reports whether a group is due for repetition. Incidents are repeated one by one: channels that keep
// them add the repetition to the incident.
func (r round) nags(g *Group) bool {
	return !g.Repeat.IsZero() && !g.Repeat.After(r.now) && !r.channels[g.Channel].Resolves && len(r.tellable(g)) > 0
}

// crowd combines what is pending into one message, and what is to be repeated into another.
func (r round) crowd(channel string) {
	s, now := r.s, r.now
	burst := s.burst(channel)
	var list, again []Notice
	more := 0
	for _, key := range s.keys() {
		g := s.Groups[key]
		switch {
		case g.Channel != channel || g == burst:
		case len(g.Waiting) > 0 && r.joins(g):
			list, more = append(list, g.Waiting...), more+g.More
			g.Waiting, g.More, g.Told = nil, 0, now
		case r.nags(g):
			again = append(again, r.tellable(g)...)
			g.Told, g.Repeat = now, now.Add(r.layer(g.Layer).RepeatInterval)
		}
	}
	if len(list) > 0 {
		list = append(list, burst.Waiting...)
		slices.SortStableFunc(list, func(a, b Notice) int { return a.At.Compare(b.At) })
		burst.Waiting, burst.Due = nil, now
		for _, n := range list {
			r.words.add(burst, n)
		}
	}
	burst.More += more
	if len(again) > 0 {
		slices.SortStableFunc(again, func(a, b Notice) int { return a.At.Compare(b.At) })
		most := min(len(again), r.words.Limits.Notices)
		r.send(burst, again[:most], len(again)-most, true)
	}
}

// held returns the channel's group for what waits for working hours.
func (s *State) held(channel string) *Group {
	g := &Group{Channel: channel, Gathers: gathersHeld}
	if known := s.Groups[g.key()]; known != nil {
		return known
	}
	s.Groups[g.key()] = g
	return g
}
