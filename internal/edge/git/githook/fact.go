package githook

import (
	"crypto/rand"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Source is the CloudEvents source of what the hooks tell.
const Source = "/scaffoldwatch/git-hook"

var actor = runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}

// typeOf is the type that a fact's data is registered for.
func typeOf(data any) events.Type {
	switch data.(type) {
	case *runevents.HookInstalled:
		return runevents.TypeHookInstalled
	case *runevents.HookRemoved:
		return runevents.TypeHookRemoved
	case *runevents.WorktreeCreated:
		return runevents.TypeWorktreeCreated
	case *runevents.WorktreeRemoved:
		return runevents.TypeWorktreeRemoved
	case *runevents.GitCommit:
		return runevents.TypeGitCommit
	case *runevents.GitMerge:
		return runevents.TypeGitMerge
	case *runevents.GitCounted:
		return runevents.TypeGitCounted
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
