package githook

import (
	"crypto/rand"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Source is the CloudEvents source of the hooks' events.
const Source = "/scaffoldwatch/git-hook"

var actor = runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}

// typeOf returns the event type under which a fact's data is registered.
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

// fact is a run event of the infrastructure. Events that can be observed twice have an id, so that they count
// once.
func fact(run, id string, data any) events.Event {
	e := events.Event{Source: Source, Type: typeOf(data), Subject: run, PartitionKey: run, Correlation: run, Data: data, Credential: events.RoleInfra, Time: time.Now().UTC()}
	if id == "" {
		id = rand.Text() // the same may happen again
	}
	e.ID = events.DerivedID("git-hook", run, id, 0)
	return e
}
