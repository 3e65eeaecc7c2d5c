package attest

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Each calls take with each event of a type in DECISIONS.
func Each(ctx context.Context, from record.Source, typ events.Type, take func(events.Event)) error {
	return from.Events(ctx, record.Selection{Stream: events.StreamDecisions, Type: typ}, func(e record.Entry) error {
		take(e.Event)
		return nil
	})
}

// decided returns the selected events of DECISIONS.
func decided(ctx context.Context, from record.Source, of record.Selection) (all []events.Event, err error) {
	of.Stream = events.StreamDecisions
	err = from.Events(ctx, of, func(e record.Entry) error {
		all = append(all, e.Event)
		return nil
	})
	return all, err
}

// Request selects what to attest.
type Request struct {
	Commits  []GitCommit
	Sessions []string
	Runs     []string
}

// GitCommit is a requested commit, with what Git knows about it if there is a repository.
type GitCommit struct {
	SHA   string
	Time  time.Time
	Files []string
	// Candidate marks a commit that was not requested by name: it counts only if one of the requested
	// sessions edited its files.
	Candidate bool
}

// Options configure how the record is read and what else is stated.
type Options struct {
	Now      time.Time
	Build    string
	Sessions *sessionreport.Settings
	Runs     *runreport.Settings
	// Heads are the checkpoints of the source that were verified.
	Heads []chain.Head
	// Excerpt means that the source holds only a part of the streams, which may end before an attested
	// head.
	Excerpt bool
	// Clean redacts text that does not come from a stream (SW-7).
	Clean func(string) string
}
