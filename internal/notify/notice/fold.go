package notice

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Desk decides what is sent, by prepared settings and words.
type Desk struct {
	words    *Words
	settings Settings
	channels map[string]*Channel
	windows  map[string]workhours.Window // by channel
}

// NewDesk checks the settings; the error is a [rules.Invalid] with its place.
func NewDesk(words *Words, settings Settings) (*Desk, error) {
	if err := settings.check(KindNames()); err != nil {
		return nil, err
	}
	d := &Desk{words: words, settings: settings, channels: map[string]*Channel{}, windows: map[string]workhours.Window{}}
	common, err := settings.Hours.Window()
	if err != nil {
		return nil, workhours.Below(err, "hours")
	}
	for i := range settings.Channels {
		c := &settings.Channels[i]
		d.channels[c.ID], d.windows[c.ID] = c, common
		if c.Hours == nil {
			continue
		}
		if d.windows[c.ID], err = c.Hours.Window(); err != nil {
			return nil, workhours.Below(err, "channels", c.ID, "hours")
		}
	}
	return d, nil
}

// round is one call of the desk: the state that it works on, and the time.
type round struct {
	*Desk
	s   *State
	now time.Time
}

// Unseen returns a moment of the week after from at which the clock of a question's default runs while the
// channels that questions go to hold them, zero if there is none (PL-36).
func (d *Desk) Unseen(clock workhours.Window, from time.Time) time.Time {
	kind := d.words.kind(KindClarification)
	list := d.preferred(kind.ID, d.taking(d.layer(kind.Layer).Channels, Notice{Kind: kind.ID, Layer: kind.Layer}))
	if !kind.Hold || len(list) == 0 {
		return time.Time{}
	}
	const week = 7 * 24 * time.Hour
	for at := from.Truncate(time.Minute); at.Before(from.Add(week)); at = at.Add(time.Minute) {
		held := !slices.ContainsFunc(list, func(id string) bool { return d.windows[id].Open(at) })
		if held && clock.Open(at) {
			return at
		}
	}
	return time.Time{}
}

// Apply folds an event of DECISIONS that was read at now (PL-50).
func (d *Desk) Apply(s *State, e events.Event, now time.Time) {
	s.complete()
	if e.Type == runevents.TypeContentPurged {
		s.purge(e.Group())
		return
	}
	r := round{d, s, now}
	r.preferences(e)
	r.close(e)
	run := Run{}
	if known := s.Runs[e.Group()]; known != nil {
		run = *known
	}
	for _, n := range d.words.Describe(e, run, d.settings.Link) {
		r.route(n, &run)
	}
}

// preferences remembers what run.started asks for.
func (r round) preferences(e events.Event) {
	s := r.s
	started, is := e.Data.(*runevents.RunStarted)
	if !is {
		return
	}
	run := &Run{Goal: r.words.shorten(text.Line(started.Goal)), Last: e.Time.UTC()}
	if t := started.Trigger; t != nil {
		run.Urgent = t.Priority == "critical" || t.IgnoreWorkingHours
		for _, name := range t.Notify {
			if len(run.Channels) < maxWished {
				run.Channels = append(run.Channels, r.words.shorten(name))
			}
		}
	}
	s.Runs[e.Subject] = run
	if len(s.Runs) > r.words.Limits.Runs {
		delete(s.Runs, oldest(s.Runs))
	}
}

// maxWished limits the channels that a run can name.
const maxWished = 16

func oldest(runs map[string]*Run) string {
	ids := make([]string, 0, len(runs))
	for id := range runs {
		ids = append(ids, id)
	}
	return slices.MinFunc(ids, func(a, b string) int {
		return cmp.Or(runs[a].Last.Compare(runs[b].Last), cmp.Compare(a, b))
	})
}

// route adds a notice to a group of each channel that should send it.
func (r round) route(n Notice, run *Run) {
	s, now := r.s, r.now
	if n.Open == "" && (n.At.Before(s.Since) || r.late(n, now) && n.Kind == KindHaltIgnored) {
		return // nobody can act on it any more
	}
	for _, id := range r.recipients(n, run.Channels) {
		if !s.covers(id, n) && !s.knows(id, n) {
			r.join(id, n)
		}
	}
}

// late reports whether a notice is from a time when nothing was sent: such notices become one message.
func (d *Desk) late(n Notice, now time.Time) bool {
	return d.settings.MaxAge > 0 && now.Sub(n.At) > d.settings.MaxAge
}

// recipients returns the channels for a notice: those that the run names, otherwise the layer's, without
// those that are switched off unless none would be left.
func (r round) recipients(n Notice, wished []string) []string {
	list := r.taking(wished, n)
	if len(list) == 0 {
		list = r.taking(r.layer(n.Layer).Channels, n)
	}
	list = slices.DeleteFunc(list, func(id string) bool { return r.s.off(r.channels[id]) })
	return r.preferred(n.Kind, list)
}

// preferred returns those of a list of channels to which a kind of notice is sent.
func (d *Desk) preferred(kind string, list []string) []string {
	prefer := d.words.kind(kind).Prefer
	if len(prefer) == 0 || len(list) < 2 {
		return list
	}
	for _, kind := range prefer {
		for _, id := range list {
			if d.channels[id].Kind == kind {
				return []string{id}
			}
		}
	}
	return list[:1]
}

func (d *Desk) taking(names []string, n Notice) []string {
	var out []string
	for _, name := range names {
		if c := d.channels[name]; c != nil && c.takes(n.Layer, n.Kind) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (d *Desk) layer(name runevents.NotificationLayer) *Route {
	if name == LayerTeam {
		return &d.settings.Team
	}
	return &d.settings.Operator
}

// join adds a notice to a group, as Alertmanager does: a new group waits for more notices, one that was
// sent before waits for its interval to pass.
func (r round) join(channel string, n Notice) {
	s, now := r.s, r.now
	route := r.layer(n.Layer)
	g := Group{Channel: channel, Layer: n.Layer, Run: n.Subject, Kind: n.Kind}
	wait, interval := route.GroupWait, route.GroupInterval
	switch {
	case r.apart(channel, n):
	case r.late(n, now):
		g = Group{Channel: channel, Gathers: gathersLate}
	case route.Digest > 0 && !n.Urgent && n.Until.IsZero(): // a digest may outlast the time for an answer
		g = Group{Channel: channel, Layer: n.Layer, Gathers: gathersDigest}
		wait, interval = route.Digest, route.Digest
	}
	group := r.group(g, n)
	if group == nil {
		group = s.burst(channel)
	}
	if len(group.Waiting) == 0 && group.More == 0 {
		group.Due = now.Add(wait)
		if next := group.Told.Add(interval); !group.Told.IsZero() && next.After(group.Due) {
			group.Due = next
		}
	}
	if latest := n.latest(now); !latest.IsZero() && group.Due.After(latest) {
		group.Due = latest
	}
	r.words.add(group, n)
}

// add appends a notice unless the event is already in the group.
func (w *Words) add(g *Group, n Notice) {
	same := func(o Notice) bool { return o.About == n.About && o.Kind == n.Kind }
	g.Waiting = without(g.Waiting, n.Open)
	switch {
	case slices.ContainsFunc(g.Waiting, same):
	case len(g.Waiting) >= w.Limits.Notices:
		g.More++
		// Urgent notices come first.
		calm := func(o Notice) bool { return !o.Urgent }
		if at := slices.IndexFunc(g.Waiting, calm); n.Urgent && at >= 0 {
			g.Waiting = append(slices.Delete(g.Waiting, at, at+1), n)
		}
	default:
		g.Waiting = append(g.Waiting, n)
	}
}

// without removes notices that a later notice about the same thing supersedes.
func without(list []Notice, open string) []Notice {
	return slices.DeleteFunc(list, func(n Notice) bool { return open != "" && n.Open == open })
}

// knows reports whether the channel already got the same words and they are still open, as for a gate that
// is requested repeatedly: they are repeated when their time comes.
func (s *State) knows(channel string, n Notice) bool {
	own := Group{Channel: channel, Layer: n.Layer, Run: n.Subject, Kind: n.Kind}
	g := s.Groups[own.key()]
	return g != nil && n.Open != "" && slices.ContainsFunc(g.Open, func(o Notice) bool {
		return o.Open == n.Open && o.Title == n.Title && o.Text == n.Text
	})
}

// apart reports whether a notice is an incident of its own: it is combined with others only if too much
// happens at once, because it is settled separately.
func (d *Desk) apart(channel string, n Notice) bool {
	c := d.channels[channel]
	return n.Open != "" && c != nil && c.Resolves
}

// group finds or creates a group; nil if there are too many.
func (r round) group(g Group, n Notice) *Group {
	s := r.s
	key := g.key()
	if known := s.Groups[key]; known != nil {
		return known
	}
	if len(s.Groups) >= r.words.Limits.Waiting && !n.Urgent || len(s.Groups) >= 2*r.words.Limits.Waiting {
		return nil
	}
	s.Groups[key] = &g
	return &g
}

// roomy is the share of groups, in percent, up to which what is open is remembered.
const roomy = 75

// forget drops the group whose last message is oldest among those without pending notices, which is then
// not repeated any more. It reports whether there is one.
func (s *State) forget() bool {
	oldest := ""
	for key, g := range s.Groups {
		if len(g.Waiting) > 0 || g.More > 0 {
			continue
		}
		if o := s.Groups[oldest]; o == nil || g.Told.Before(o.Told) || g.Told.Equal(o.Told) && key < oldest {
			oldest = key
		}
	}
	delete(s.Groups, oldest)
	return oldest != ""
}

// burst returns the channel's group for what is too much at once, which always exists.
func (s *State) burst(channel string) *Group {
	g := &Group{Channel: channel, Gathers: gathersBurst}
	if known := s.Groups[g.key()]; known != nil {
		return known
	}
	s.Groups[g.key()] = g
	return g
}

func (g *Group) key() string {
	return g.Channel + "|" + string(g.Layer) + "|" + g.Gathers + "|" + g.Kind + "|" + g.Run
}

func (r round) remember(p Past) {
	r.s.Past = text.Newest(append(r.s.Past, p), r.words.Limits.Past)
}

// keys returns the keys of the state's groups in a fixed order.
func (s *State) keys() []string {
	out := make([]string, 0, len(s.Groups))
	for key := range s.Groups {
		out = append(out, key)
	}
	sort.Strings(out)
	return out
}

func (s *State) off(c *Channel) bool {
	h := s.Channels[c.ID]
	return h != nil && h.Off != "" && h.Mark == c.Mark
}

// purge removes what the outbox holds about a session or run that an operator erased (AU-40). Lines about
// past messages contain their titles, but not what they were about, so all of them are removed.
func (s *State) purge(group string) {
	of := func(n Notice) bool { return n.Subject == group || n.Run == group }
	delete(s.Runs, group)
	for key, g := range s.Groups {
		g.Waiting, g.Open = slices.DeleteFunc(g.Waiting, of), slices.DeleteFunc(g.Open, of)
		if g.Run == group || len(g.Waiting)+len(g.Open) == 0 && g.Run != "" {
			delete(s.Groups, key)
		}
	}
	s.Outbox = slices.DeleteFunc(s.Outbox, func(m *Message) bool { return m.Run == group || slices.ContainsFunc(m.Notices, of) })
	s.Facts = slices.DeleteFunc(s.Facts, func(f Fact) bool { return f.Subject == group || f.Run == group })
	s.Past = nil
}

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
