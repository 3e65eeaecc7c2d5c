package attest

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Source is what was recorded and proven: a running system, or a bundle.
type Source interface {
	// Partitions is how many partitions the streams have.
	Partitions() int
	// Facts calls take with the run events in DECISIONS, in order.
	Facts(ctx context.Context, take func(events.Event)) error
	// Turns calls take with every turn.evaluated in DECISIONS, in order.
	Turns(ctx context.Context, take func(events.Event)) error
	// Session returns what DECISIONS holds about a session.
	Session(ctx context.Context, id string) ([]events.Event, error)
	// Run returns what DECISIONS holds about a run and its sessions.
	Run(ctx context.Context, id string) ([]events.Event, error)
	// Segments calls take with the data of a session's turn.segmented, in order.
	Segments(ctx context.Context, session string, take func(data []byte)) error
	// Heads returns the last checkpoints.
	Heads(ctx context.Context) ([]chain.Head, error)
}

// Request is what to attest.
type Request struct {
	Commits  []GitCommit
	Sessions []string
	Runs     []string
}

// GitCommit is a commit that was asked for, with what Git says about it where a repository
// is at hand.
type GitCommit struct {
	SHA   string
	Time  time.Time
	Files []string
	// Candidate is a commit that nobody named: it counts only if a session that is asked
	// for edited its files.
	Candidate bool
}

// Options say how to read and what to state besides.
type Options struct {
	Now      time.Time
	Build    string
	Sessions *sessionreport.Settings
	Runs     *runreport.Settings
	// Excerpt says that the source holds a part of the streams, which may end before a head
	// that is attested.
	Excerpt bool
	// Clean redacts text that does not come from a stream (SW-7).
	Clean func(string) string
}
