package notice

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Result is the outcome of an attempt.
type Result struct {
	// the address will never accept anything again
	Gone bool
	// how long the channel asks to wait; 0 if it does not say
	Wait    time.Duration
	Problem string // "" for a success; never contains an address or a secret
	Note    string // about an incomplete success
}

// longestWait limits the wait that a channel can ask for.
const longestWait = 6 * time.Hour

// Due returns the messages to send now, in order, at most one for each channel; busy names the channels
// with an attempt in progress.
func (d *Desk) Due(s *State, busy map[string]bool, now time.Time) []Message {
	var out []Message
	round{d, s, now}.sweep(busy)
	taken, earlier := map[string]bool{}, map[string]bool{}
	for _, m := range s.Outbox {
		incident := m.Channel + "|" + cmp.Or(m.Incident, m.Key)
		first := !earlier[incident]
		earlier[incident] = true
		if taken[m.Channel] || busy[m.Channel] || !first {
			continue // messages of one incident stay in order
		}
		if m.After.After(now) || s.waits(m.Channel, now) {
			continue
		}
		taken[m.Channel] = true
		out = append(out, *m)
	}
	return out
}

func (s *State) waits(channel string, now time.Time) bool {
	h := s.Channels[channel]
	return h != nil && h.Wait.After(now)
}

// Done records the outcome of an attempt to send the message with this key.
func (d *Desk) Done(s *State, key string, r Result, now time.Time) {
	s.complete()
	at := slices.IndexFunc(s.Outbox, func(m *Message) bool { return m.Key == key })
	if at < 0 {
		return
	}
	m := s.Outbox[at]
	m.Attempts++
	h := s.Channels[m.Channel]
	if h == nil {
		h = &Health{}
		s.Channels[m.Channel] = h
	}
	switch {
	case r.Problem == "" && !r.Gone:
		*h = Health{At: now}
		s.Outbox = slices.Delete(s.Outbox, at, at+1)
		round{d, s, now}.told(m, runevents.NotificationDelivered, d.words.shorten(clean(r.Note)))
	case r.Gone:
		round{d, s, now}.gone(m, h)
	default:
		h.Fails, h.At = h.Fails+1, now
		if r.Wait > 0 {
			h.Wait = now.Add(min(r.Wait, longestWait))
		}
		round{d, s, now}.failed(at, r)
	}
}

// failed schedules a retry, or gives up.
func (r round) failed(at int, result Result) {
	s, now := r.s, r.now
	m := s.Outbox[at]
	m.Problem = r.words.shorten(clean(result.Problem))
	if retry := r.settings.Retry; m.Attempts >= retry.Attempts || now.Sub(m.Made) >= retry.GiveUp {
		s.Outbox = slices.Delete(s.Outbox, at, at+1)
		r.told(m, runevents.NotificationFailed, fmt.Sprintf("given up after %d tries: %s", m.Attempts, m.Problem))
		return
	}
	m.After = now.Add(max(min(result.Wait, longestWait), r.pause(m)))
}

// pause returns a pause that doubles with each attempt, up to the longest, less up to a quarter that
// differs from message to message, so that they are not all retried at the same moment.
func (d *Desk) pause(m *Message) time.Duration {
	pause := d.settings.Retry.First
	for n := 1; n < m.Attempts && pause < d.settings.Retry.Longest; n++ {
		pause *= 2
	}
	pause = min(pause, d.settings.Retry.Longest)
	share := xxhash.Sum64String(m.Key+"/"+strconv.Itoa(m.Attempts)) % 256
	return pause - pause/4*time.Duration(share)/256
}

// gone switches a channel off, and notifies people of that on the remaining channels.
func (r round) gone(last *Message, h *Health) {
	s, now := r.s, r.now
	mark := ""
	if c := r.channels[last.Channel]; c != nil {
		mark = c.Mark
	}
	*h = Health{Off: "its address is gone (410)", At: now, Mark: mark}
	var left []*Message
	for _, m := range s.Outbox {
		if m.Channel != last.Channel {
			left = append(left, m)
			continue
		}
		r.told(m, runevents.NotificationFailed, h.Off)
	}
	s.Outbox = left
	for _, key := range s.keys() {
		if s.Groups[key].Channel == last.Channel {
			delete(s.Groups, key)
		}
	}
	n := Notice{
		About: events.DerivedID("notify", "gone", last.Key, 0), Kind: KindChannelGone, Layer: LayerOperator, Subject: last.Channel, At: now.UTC(),
		Title: fill(r.words.kind(KindChannelGone).Title, map[string]string{"what": last.Channel}),
		Text: r.words.text(r.words.kind(KindChannelGone).Text, map[string]string{
			"what": last.Channel, "why": h.Off, "command": "give it a new address, then: scaffoldwatch notify test " + last.Channel,
		}),
	}
	r.route(n, &Run{})
}

// told records the end of a message: an event about each notice, and a line about the message.
func (r round) told(m *Message, outcome runevents.NotificationOutcome, why string) {
	for _, n := range m.Notices {
		if m.Resolved {
			break // each was sent before
		}
		r.record(runevents.TypeNotificationSent, m.Key, m.Channel, n, runevents.Notification{Outcome: outcome, Why: why})
	}
	p := Past{At: r.now, Channel: m.Channel, Outcome: string(outcome), Title: m.Title, Why: why, Key: m.Key}
	if c := r.channels[m.Channel]; c != nil && c.Kind == "console" {
		p.Text = m.Text
	}
	r.remember(p)
}

// record records an event about a notice, once for each message that it was in.
func (r round) record(typ events.Type, cause, channel string, n Notice, data runevents.Notification) {
	s, now := r.s, r.now
	if n.Kind == KindChannelGone || !events.ValidID(n.Subject) {
		return // it is not about a run
	}
	data.About, data.Layer, data.Channel, data.URL, data.Text = n.About, n.Layer, channel, n.URL, n.Title
	if data.Outcome == "" {
		data.Outcome = runevents.NotificationOutcome(cause)
	}
	s.Facts = append(s.Facts, Fact{
		ID: events.DerivedID("notify", cause, n.About+"/"+n.Kind+"/"+channel, 0), Type: typ, Subject: n.Subject, Run: n.Run, At: now.UTC(), Data: data,
	})
	s.Facts = text.Newest(s.Facts, maxFacts)
}

// maxFacts limits the facts that wait to be recorded while the broker is unreachable.
const maxFacts = 2000

// Recorded drops a fact that is in the stream.
func (s *State) Recorded(id string) {
	s.Facts = slices.DeleteFunc(s.Facts, func(f Fact) bool { return f.ID == id })
}

// shed drops the oldest message that is not urgent if too many are pending.
func (r round) shed() {
	s := r.s
	for len(s.Outbox) > r.words.Limits.Waiting {
		at := max(slices.IndexFunc(s.Outbox, func(m *Message) bool { return !m.Urgent }), 0)
		m := s.Outbox[at]
		s.Outbox = slices.Delete(s.Outbox, at, at+1)
		s.Shed++
		r.told(m, runevents.NotificationFailed, "too many notifications wait")
	}
}

// Next returns when something is due next, zero if nothing is pending.
func (d *Desk) Next(s *State, busy map[string]bool, now time.Time) time.Time {
	var next time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, g := range s.Groups {
		if len(g.Waiting) > 0 {
			sooner(g.Due)
		}
		if len(g.Open) > 0 {
			sooner(g.Repeat)
		}
	}
	for _, m := range s.Outbox {
		if busy[m.Channel] {
			continue
		}
		at := m.After
		if h := s.Channels[m.Channel]; h != nil && h.Wait.After(at) {
			at = h.Wait
		}
		sooner(at)
	}
	return next
}
