package githook

import (
	"crypto/rand"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Source is the CloudEvents source of what the hooks tell.
const Source = "/scaffoldwatch/git-hook"

var actor = events.Actor{Kind: events.ActorInfra, ID: "git-hook"}

// typeOf is the type that a fact's data is registered for.
func typeOf(data any) events.Type {
	switch data.(type) {
	case *events.HookInstalled:
		return events.TypeHookInstalled
	case *events.HookRemoved:
		return events.TypeHookRemoved
	case *events.WorktreeCreated:
		return events.TypeWorktreeCreated
	case *events.WorktreeRemoved:
		return events.TypeWorktreeRemoved
	case *events.GitCommit:
		return events.TypeGitCommit
	case *events.GitMerge:
		return events.TypeGitMerge
	case *events.GitCounted:
		return events.TypeGitCounted
	}
	return ""
}

// fact is a run event of the infrastructure. An id is given to what can be seen
// twice, so that it counts once.
func fact(run, id string, data any) events.Event {
	e := events.Event{Source: Source, Type: typeOf(data), Subject: run, PartitionKey: run, Correlation: run, Data: data, Credential: events.RoleInfra, Time: time.Now().UTC()}
	if id == "" {
		id = rand.Text() // the same may happen again
	}
	e.ID = events.DerivedID("git-hook", run, id, 0)
	return e
}
