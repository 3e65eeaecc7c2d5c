package notice

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// send adds a message to the outbox.
func (r round) send(g *Group, list []Notice, more int, again bool) {
	s, now := r.s, r.now
	m := &Message{
		Channel: g.Channel, Group: g.key(), Run: g.Run, Gathers: g.Gathers, Again: again,
		Notices: append([]Notice(nil), list...), More: more, Made: now, After: now,
	}
	r.words.compose(m)
	s.Outbox = append(s.Outbox, m)
	r.shed()
}

// settle reports that nothing in an incident is open any more.
func (r round) settle(g *Group, list []Notice) {
	s, now := r.s, r.now
	m := &Message{
		Channel: g.Channel, Group: g.key(), Run: g.Run, Resolved: true, Notices: list, Made: now, After: now,
	}
	r.words.compose(m)
	s.Outbox = append(s.Outbox, m)
	g.Repeat = time.Time{}
	r.shed()
}

// compose writes the texts of a message and derives its key from what it is about.
func (w *Words) compose(m *Message) {
	m.Title, m.Text = w.word(m)
	m.Urgent, m.URL, m.Incident = false, "", ""
	ids := make([]string, 0, len(m.Notices)+1)
	for _, n := range m.Notices {
		ids = append(ids, n.About+"/"+n.Kind)
		m.Urgent = m.Urgent || n.Urgent
		if m.URL == "" {
			m.URL = n.URL
		}
	}
	switch {
	case m.Again:
		ids = append(ids, m.Made.UTC().Format(time.RFC3339Nano))
	case m.Resolved:
		ids = append(ids, "settled")
	}
	m.Key = events.DerivedID("notify", m.Channel, strings.Join(ids, " "), 0)
	m.Incident = m.Key
	if m.Gathers == "" && slices.ContainsFunc(m.Notices, func(n Notice) bool { return n.Open != "" }) {
		m.Incident = m.Group
	}
}

// word returns the title and text of a message.
func (w *Words) word(m *Message) (title, s string) {
	list := m.Notices
	if len(list) == 1 && m.More == 0 {
		title, s = list[0].Title, list[0].Text
	} else {
		title, s = w.heading(m), w.list(m, true)
		if len(s) > w.Limits.TextSize {
			s = w.list(m, false)
		}
	}
	switch {
	case m.Again:
		title = fill(w.Again, map[string]string{"title": title})
	case m.Resolved:
		title = fill(w.Settled, map[string]string{"title": title})
		s = "" // nothing needs to be done
	}
	return w.shorten(text.Line(title)), w.shorten(strings.TrimRight(s, "\n"))
}

// heading returns the title of a message with several notices.
func (w *Words) heading(m *Message) string {
	titles := make([]string, len(m.Notices))
	for i, n := range m.Notices {
		titles[i] = n.Title
	}
	count := strconv.Itoa(len(m.Notices) + m.More)
	pattern := w.Several
	switch m.Gathers {
	case gathersLate:
		pattern = w.Late
	case gathersHeld, gathersDigest, gathersBurst:
		pattern = w.Digest
	}
	title := fill(pattern, map[string]string{"count": count, "run": m.Run, "titles": strings.Join(titles, "; ")})
	if len(title) > titleSize {
		title = fill(w.Digest, map[string]string{"count": count})
	}
	return title
}

// titleSize is the length to which a title with several notices is shortened.
const titleSize = 160

// list lists several notices, with their texts if there is room. The number of those left out is never cut
// off.
func (w *Words) list(m *Message, texts bool) string {
	tail := ""
	if m.More > 0 {
		tail = fill(w.More, map[string]string{"count": strconv.Itoa(m.More)})
	}
	var out strings.Builder
	for i, n := range m.Notices {
		line := "• " + n.Title + "\n"
		if texts && n.Text != "" {
			line += "  " + strings.ReplaceAll(n.Text, "\n", "\n  ") + "\n"
		}
		if !texts && out.Len()+len(line)+len(w.More)+20 > w.Limits.TextSize {
			tail = fill(w.More, map[string]string{"count": strconv.Itoa(len(m.Notices) - i + m.More)})
			break
		}
		out.WriteString(line)
	}
	return out.String() + tail
}
