package notice

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Tick turns the groups that are due into messages.
func (d *Desk) Tick(s *State, now time.Time) {
	s.complete()
	for _, channel := range d.crowded(s, now) {
		d.crowd(s, channel, now)
	}
	for _, key := range s.keys() {
		g := s.Groups[key]
		if g == nil || d.channels[g.Channel] == nil { // a channel that is no longer configured
			delete(s.Groups, key)
			continue
		}
		switch {
		case (len(g.Waiting) > 0 || g.More > 0) && !g.Due.After(now):
			d.flush(s, g, now)
		case len(g.Open) > 0 && !g.Repeat.IsZero() && !g.Repeat.After(now):
			d.repeat(s, g, now)
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
func (d *Desk) flush(s *State, g *Group, now time.Time) {
	list, more := g.Waiting, g.More
	g.Waiting, g.More = nil, 0
	if window := d.windows[g.Channel]; !window.Open(now) {
		list = d.hold(s, g, list, &more, window.Next(now), now)
	}
	if len(list) == 0 {
		g.More += more
		if g.More > 0 && len(g.Waiting) == 0 {
			g.More = 0 // the notices beyond the limit were answered
		}
		return
	}
	slices.SortStableFunc(list, func(a, b Notice) int { return a.At.Compare(b.At) })
	d.send(s, g, list, more, false, now)
	g.Told = now
	for _, n := range list {
		d.keepOpen(s, g, n, now)
	}
}

// keepOpen remembers what was sent until it is over, in the group of its run and kind, whichever group sent
// it: to repeat it, or to report that it is settled.
func (d *Desk) keepOpen(s *State, told *Group, n Notice, now time.Time) {
	interval := d.layer(n.Layer).RepeatInterval
	repeats := interval > 0 && d.words.kind(n.Kind).Repeat
	if n.Open == "" || !repeats && told.Gathers != "" && d.apart(told.Channel, n) {
		return
	}
	g := d.group(s, Group{Channel: told.Channel, Layer: n.Layer, Run: n.Subject, Kind: n.Kind}, n)
	if g == nil {
		return
	}
	g.Open = append(without(g.Open, n.Open), n)
	g.Open = text.Newest(g.Open, d.words.Limits.Notices)
	g.Told = now
	if repeats {
		g.Repeat = now.Add(interval)
	}
}

// hold holds back what can wait, records that once, and returns what cannot wait. Incidents wait in their
// own groups, the rest in the channel's held group.
func (d *Desk) hold(s *State, g *Group, list []Notice, more *int, until, now time.Time) (urgent []Notice) {
	var stay []Notice
	held := g
	for _, n := range list {
		if n.Urgent {
			urgent = append(urgent, n)
			continue
		}
		if !n.Held {
			n.Held = true
			d.record(s, runevents.TypeNotificationHeld, "held", g.Channel, n, now, runevents.Notification{
				Until: until.UTC().Truncate(time.Second), Why: "outside working hours",
			})
		}
		if g.Gathers == gathersHeld || g.Gathers == "" && d.apart(g.Channel, n) {
			stay = append(stay, n)
			continue
		}
		held = s.held(g.Channel)
		d.add(held, n)
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
func (d *Desk) repeat(s *State, g *Group, now time.Time) {
	list := d.tellable(g, now)
	if len(list) == 0 {
		g.Repeat = d.windows[g.Channel].Next(now)
		return
	}
	d.send(s, g, list, 0, true, now)
	g.Told, g.Repeat = now, now.Add(d.layer(g.Layer).RepeatInterval)
}

// tellable returns what is open in a group and need not wait for working hours.
func (d *Desk) tellable(g *Group, now time.Time) []Notice {
	if d.windows[g.Channel].Open(now) {
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
