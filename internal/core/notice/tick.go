package notice

import (
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Tick makes messages of the groups whose time has come.
func (d *Desk) Tick(s *State, now time.Time) {
	s.complete()
	for _, key := range s.keys() {
		g := s.Groups[key]
		if g == nil || d.channels[g.Channel] == nil { // a channel that is no longer configured
			delete(s.Groups, key)
			continue
		}
		switch {
		case len(g.Waiting) > 0 && !g.Due.After(now):
			d.flush(s, g, now)
		case len(g.Open) > 0 && !g.Repeat.IsZero() && !g.Repeat.After(now):
			d.repeat(s, g, now)
		}
		if g.over(d.layer(g.Layer).GroupInterval, now) {
			delete(s.Groups, key)
		}
	}
}

// over reports a group that has nothing to tell and whose interval has passed.
func (g *Group) over(interval time.Duration, now time.Time) bool {
	return g.idle() && (g.Gathers != "" && g.Gathers != gathersDigest || !g.Told.Add(interval).After(now))
}

// flush tells what waits, or holds back what waits for working hours (PL-51).
func (d *Desk) flush(s *State, g *Group, now time.Time) {
	if window := d.windows[g.Channel]; !window.Open(now) {
		d.hold(s, g, window.Next(now), now)
		if len(g.Waiting) == 0 && g.More == 0 {
			return
		}
	}
	if len(g.Waiting) == 0 {
		g.More = 0
		return
	}
	d.send(s, g, g.Waiting, g.More, false, now)
	told := g.Waiting
	g.Waiting, g.More, g.Told = nil, 0, now
	for _, n := range told {
		d.keepOpen(s, g.Channel, n, now)
	}
}

// keepOpen remembers what was told to repeat it until it is over, in the group
// of its run and kind, wherever it was told.
func (d *Desk) keepOpen(s *State, channel string, n Notice, now time.Time) {
	interval := d.layer(n.Layer).RepeatInterval
	if n.Open == "" || interval == 0 || !d.words.kind(n.Kind).Repeat {
		return
	}
	g := d.group(s, Group{Channel: channel, Layer: n.Layer, Run: n.Subject, Kind: n.Kind}, n, now)
	if g == nil {
		return
	}
	g.Open = append(without(g.Open, n.Open), n)
	if more := len(g.Open) - d.words.Limits.Notices; more > 0 {
		g.Open = append([]Notice(nil), g.Open[more:]...)
	}
	g.Told, g.Repeat = now, now.Add(interval)
}

// hold moves what can wait to the channel's held group and tells so, once.
func (d *Desk) hold(s *State, g *Group, until, now time.Time) {
	var stay []Notice
	for _, n := range g.Waiting {
		if n.Urgent {
			stay = append(stay, n)
			continue
		}
		if !n.Held {
			n.Held = true
			d.record(s, events.TypeNotificationHeld, "held", g.Channel, n, now, events.Notification{
				Until: until.UTC().Format(time.RFC3339), Why: "outside working hours",
			})
		}
		if held := d.group(s, Group{Channel: g.Channel, Gathers: gathersHeld}, n, now); held != nil {
			if held == g {
				stay = append(stay, n)
				continue
			}
			d.add(held, n)
			held.Due = until
		}
	}
	if g.Gathers == gathersHeld {
		g.Due = until // it has no urgent ones
		g.Waiting = nil
		for _, n := range stay {
			d.add(g, n)
		}
		return
	}
	g.Waiting = stay
	if len(stay) == 0 {
		g.More = 0
	}
}

// repeat tells again what nobody answered; outside working hours what can wait
// waits for the next window.
func (d *Desk) repeat(s *State, g *Group, now time.Time) {
	list := g.Open
	if window := d.windows[g.Channel]; !window.Open(now) {
		list = nil
		for _, n := range g.Open {
			if n.Urgent {
				list = append(list, n)
			}
		}
		if len(list) == 0 {
			g.Repeat = window.Next(now)
			return
		}
	}
	d.send(s, g, list, 0, true, now)
	g.Told, g.Repeat = now, now.Add(d.layer(g.Layer).RepeatInterval)
}

// send puts a message into the outbox.
func (d *Desk) send(s *State, g *Group, list []Notice, more int, again bool, now time.Time) {
	m := &Message{
		Channel: g.Channel, Group: g.key(), Notices: append([]Notice(nil), list...), More: more, Made: now, After: now,
	}
	m.Title, m.Text = d.word(g, list, more, again)
	ids := make([]string, 0, len(list)+1)
	for _, n := range list {
		ids = append(ids, n.About+"/"+n.Kind)
		m.Urgent = m.Urgent || n.Urgent
		if m.URL == "" {
			m.URL = n.URL
		}
	}
	if again {
		ids = append(ids, now.UTC().Format(time.RFC3339Nano))
	}
	m.Key = events.DerivedID("notify", g.Channel, strings.Join(ids, " "), 0)
	s.Outbox = append(s.Outbox, m)
	d.shed(s, now)
}

// word is the title and text of a message.
func (d *Desk) word(g *Group, list []Notice, more int, again bool) (title, text string) {
	count := strconv.Itoa(len(list) + more)
	if len(list) == 1 && more == 0 {
		title, text = list[0].Title, list[0].Text
	} else {
		titles := make([]string, len(list))
		for i, n := range list {
			titles[i] = n.Title
			text += "• " + n.Title + "\n"
			if n.Text != "" {
				text += "  " + strings.ReplaceAll(n.Text, "\n", "\n  ") + "\n"
			}
		}
		if more > 0 {
			text += fill(d.words.More, map[string]string{"count": strconv.Itoa(more)})
		}
		pattern := d.words.Several
		switch g.Gathers {
		case gathersLate:
			pattern = d.words.Late
		case gathersHeld, gathersDigest:
			pattern = d.words.Digest
		}
		title = fill(pattern, map[string]string{"count": count, "run": g.Run, "titles": strings.Join(titles, "; ")})
		if len(title) > titleSize {
			title = fill(d.words.Digest, map[string]string{"count": count})
		}
	}
	if again {
		title = fill(d.words.Again, map[string]string{"title": title})
	}
	return d.words.shorten(oneLine(title)), d.words.shorten(strings.TrimRight(text, "\n"))
}

// titleSize is what a title that names several is cut down for.
const titleSize = 160
