package terminal

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// nameWidth is the width of the names of sessions and runs in a feed, in columns.
	nameWidth = 18
	// maxNames is how many names a feed remembers before it starts over.
	maxNames = 10_000
)

// Names distinguishes the sessions of a feed (CO-5a) by project and a prefix of the id that is long enough
// to tell them apart. A short id stays the same for the whole feed.
type Names struct {
	projects map[string]string // of sessions
	short    map[string]string // short forms of the parts of ids
	taken    map[string]bool   // short forms in use
}

// Of returns how to show the subject of an event, in the width of the feed's first column.
func (n *Names) Of(e events.Event) string {
	if n.short == nil || len(n.short) > maxNames {
		n.projects, n.short, n.taken = map[string]string{}, map[string]string{}, map[string]bool{}
	}
	if project := naming.Project(workspace(e)); project != "" {
		n.projects[e.Subject] = Clean(project)
	}
	id := Clean(e.Subject)
	if lipgloss.Width(id) <= nameWidth {
		return Fit(id, nameWidth)
	}
	parent, own := naming.Split(id)
	label, project := n.part(own), n.projects[e.Subject]
	if parent != "" {
		label = n.part(parent) + naming.Below + label
		if project == "" {
			project = n.projects[parent]
		}
	}
	if room := nameWidth - lipgloss.Width(label) - 1; project != "" && room > 1 {
		label = Shorten(project, room) + " " + label
	}
	return Fit(label, max(nameWidth, lipgloss.Width(label)))
}

// workspace returns the folder that an event names for its session, "" if it names none.
func workspace(e events.Event) string {
	switch d := e.Data.(type) {
	case *sessionevents.SessionOpened:
		return d.Workspace
	case *sessionevents.GuardDecided:
		return d.Workspace
	}
	return ""
}

// part returns the short form of one part of an id: as much as fits of a readable one, six characters of an
// opaque one; more, or its end, if another part begins alike.
func (n *Names) part(id string) string {
	if short, ok := n.short[id]; ok {
		return short
	}
	short := id
	for _, form := range forms(id) {
		if !n.taken[form] {
			short = form
			break
		}
	}
	n.short[id], n.taken[short] = short, true
	return short
}

// forms returns the short forms of an id, best first.
func forms(id string) (list []string) {
	if !naming.Generated(id) && strings.ContainsAny(id, "-_") {
		const begin, end = nameWidth / 2, nameWidth/2 - 1
		list = append(list, Shorten(id, nameWidth))
		if len(id) > nameWidth {
			list = append(list, id[:begin]+"…"+id[len(id)-end:])
		}
		return list
	}
	for length := naming.Least(id); length < len(id); length++ {
		list = append(list, strings.TrimRight(id[:length], "-_"))
	}
	return append(list, id)
}
