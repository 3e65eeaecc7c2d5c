package erase

import (
	"cmp"
	"context"
	"slices"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Link is another group that holds events of a session.
type Link struct {
	Group string
	Of    string // the session
	// Own: the group is that session's alone, or a subagent's of it. Otherwise it is a run with other sessions.
	Own bool
}

// Linked returns the groups other than group that hold events of sessions, each once, in order. A session is in two
// groups if its run is not named in each of its events; each of its subagents is a session, too.
func Linked(ctx context.Context, b *natsengine.Broker, group string, ids []string) ([]Link, error) {
	known := map[string]Link{}
	own := func(id string) bool {
		return slices.ContainsFunc(ids, func(of string) bool { return id == of || sessionid.IsSubagent(id, of) })
	}
	note := func(subject string) {
		s, err := subjects.ParseSubject(subject)
		if err != nil || s.Group == group || s.ID == "" || !own(s.ID) {
			return
		}
		if _, is := known[s.Group]; !is {
			known[s.Group] = Link{Group: s.Group, Of: s.ID, Own: own(s.Group)}
		}
	}
	for _, stream := range []events.Stream{events.StreamInput, events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		store, err := b.Store(ctx, stream)
		if err != nil {
			return nil, err
		}
		var filters []string
		for _, id := range ids {
			filters = append(filters, "*.*.*.*."+id, "*.*.*.*.*."+id)
		}
		if stream == events.StreamSegments { // one subject for each session: no filter matches subagents alone
			filters = append(filters, "turn.segmented.*.*.*", "segments.session.opened.*.*.*")
		}
		found, err := store.Subjects(ctx, filters)
		if err != nil {
			return nil, err
		}
		for _, subject := range found {
			note(subject)
		}
	}
	var all []Link
	for _, link := range known {
		all = append(all, link)
	}
	slices.SortFunc(all, func(a, b Link) int { return cmp.Compare(a.Group, b.Group) })
	return all, nil
}
