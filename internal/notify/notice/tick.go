package notice

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Tick turns the groups that are due into messages.
func (d *Desk) Tick(s *State, now time.Time) {
	r := round{d, s, now}
	s.complete()
	for _, channel := range r.crowded() {
		r.crowd(channel)
	}
	for _, key := range s.keys() {
		g := s.Groups[key]
		if g == nil || d.channels[g.Channel] == nil { // a channel that is no longer configured
			delete(s.Groups, key)
			continue
		}
		switch {
		case (len(g.Waiting) > 0 || g.More > 0) && !g.Due.After(now):
			r.flush(g)
		case len(g.Open) > 0 && !g.Repeat.IsZero() && !g.Repeat.After(now):
			r.repeat(g)
		}
		if g.over(d.layer(g.Layer).GroupInterval, now) {
			delete(s.Groups, key)
		}
	}
	for 100*len(s.Groups) > roomy*d.words.Limits.Waiting && s.forget() {
	}
}

// over reports whether a group has nothing to send and its interval has passed.
func (g *Group) over(interval time.Duration, now time.Time) bool {
	return g.idle() && (g.Gathers != "" && g.Gathers != gathersDigest || !g.Told.Add(interval).After(now))
}

// flush sends the pending notices, or holds those that wait for working hours (PL-51).
func (r round) flush(g *Group) {
	now := r.now
	list, more := g.Waiting, g.More
	g.Waiting, g.More = nil, 0
	if window := r.windows[g.Channel]; !window.Open(now) {
		list = r.hold(g, list, &more, window.Next(now))
	}
	if len(list) == 0 {
		g.More += more
		if g.More > 0 && len(g.Waiting) == 0 {
			g.More = 0 // the notices beyond the limit were answered
		}
		return
	}
	slices.SortStableFunc(list, func(a, b Notice) int { return a.At.Compare(b.At) })
	r.send(g, list, more, false)
	g.Told = now
	for _, n := range list {
		r.keepOpen(g, n)
	}
}

// keepOpen remembers what was sent until it is over, in the group of its run and kind, whichever group sent
// it: to repeat it, or to report that it is settled.
func (r round) keepOpen(told *Group, n Notice) {
	interval := r.layer(n.Layer).RepeatInterval
	repeats := interval > 0 && r.words.kind(n.Kind).Repeat
	if n.Open == "" || !repeats && told.Gathers != "" && r.apart(told.Channel, n) {
		return
	}
	g := r.group(Group{Channel: told.Channel, Layer: n.Layer, Run: n.Subject, Kind: n.Kind}, n)
	if g == nil {
		return
	}
	g.Open = append(without(g.Open, n.Open), n)
	g.Open = text.Newest(g.Open, r.words.Limits.Notices)
	g.Told = r.now
	if repeats {
		g.Repeat = r.now.Add(interval)
	}
}

// hold holds back what can wait, records that once, and returns what cannot wait. Incidents wait in their
// own groups, the rest in the channel's held group.
func (r round) hold(g *Group, list []Notice, more *int, until time.Time) (urgent []Notice) {
	var stay []Notice
	held := g
	for _, n := range list {
		if n.Urgent {
			urgent = append(urgent, n)
			continue
		}
		if !n.Held {
			n.Held = true
			r.record(runevents.TypeNotificationHeld, "held", g.Channel, n, runevents.Notification{
				Until: until.UTC().Truncate(time.Second), Why: "outside working hours",
			})
		}
		if g.Gathers == gathersHeld || g.Gathers == "" && r.apart(g.Channel, n) {
			stay = append(stay, n)
			continue
		}
		held = r.s.held(g.Channel)
		r.words.add(held, n)
		held.Due = until
	}
	g.Waiting = stay
	if len(stay) > 0 {
		g.Due = until
	}
	if len(urgent) == 0 && held != g {
		held.More, *more = held.More+*more, 0
	}
	return urgent
}

// repeat repeats what nobody answered; outside working hours, what can wait is left for the next window.
func (r round) repeat(g *Group) {
	now := r.now
	list := r.tellable(g)
	if len(list) == 0 {
		g.Repeat = r.windows[g.Channel].Next(now)
		return
	}
	r.send(g, list, 0, true)
	g.Told, g.Repeat = now, now.Add(r.layer(g.Layer).RepeatInterval)
}

// tellable returns what is open in a group and need not wait for working hours.
func (r round) tellable(g *Group) []Notice {
	if r.windows[g.Channel].Open(r.now) {
		return g.Open
	}
	var list []Notice
	for _, n := range g.Open {
		if n.Urgent {
			list = append(list, n)
		}
	}
	return list
}

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
