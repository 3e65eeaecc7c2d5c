package transcript

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/observe"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// look returns the observer of the transcripts' workspaces; nil if the user disabled it, or if the rules
// for reading claims are invalid, in which case the core cannot be built either.
func (c *Scan) look(r *cli.Call, core *machines.Core, set *rules.Set) *observe.Transcript {
	if c.NoWorkspace {
		return nil
	}
	config, err := ledger.Load(set)
	if err != nil {
		return nil
	}
	return &observe.Transcript{Context: r, Config: config, Writes: func(call *sessionevents.Block, workspace string) []string {
		return core.Preflight.Writes(&preflight.Call{Name: call.Name, Input: call.Input, Workspace: workspace})
	}}
}

// looked returns the events to feed in place of e: with the observation of a workspace before the last turn
// of its session. A log of events already holds what was observed when it was written, so nothing is added
// to it.
func (s *scan) looked(e events.Event) []events.Event {
	if s.look == nil || e.Raw != nil {
		return []events.Event{e}
	}
	return s.look.Pass(e)
}
