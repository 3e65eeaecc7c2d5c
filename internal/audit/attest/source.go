package attest

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Source is a verified record: a running system, or a bundle.
type Source interface {
	// Partitions returns the number of partitions of the streams.
	Partitions() int
	// Facts calls take with each run event in DECISIONS, in order.
	Facts(ctx context.Context, take func(events.Event)) error
	// Turns calls take with each turn.evaluated event in DECISIONS, in order.
	Turns(ctx context.Context, take func(events.Event)) error
	// Session returns the events of a session in DECISIONS.
	Session(ctx context.Context, id string) ([]events.Event, error)
	// Run returns the events of a run and its sessions in DECISIONS.
	Run(ctx context.Context, id string) ([]events.Event, error)
	// Segments calls take with the data of each turn.segmented event of a session, in order.
	Segments(ctx context.Context, session string, take func(data []byte)) error
	// Heads returns the last checkpoints.
	Heads(ctx context.Context) ([]chain.Head, error)
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
	// Excerpt means that the source holds only a part of the streams, which may end before an attested
	// head.
	Excerpt bool
	// Clean redacts text that does not come from a stream (SW-7).
	Clean func(string) string
}
