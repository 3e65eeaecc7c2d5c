package observe

import (
	"context"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Hooks inspects the workspaces of sessions whose hooks are answered here.
type Hooks struct {
	Rules *rules.Set
	// Desk knows which files a session wrote.
	Desk *uncommitted.Desk

	once   sync.Once
	config *ledger.Config
}

// Look inspects the workspace once a response is complete. Invalid rules have already stopped the service
// at start; here they only mean that nothing is inspected.
func (h *Hooks) Look(e *hook.Event) *sessionevents.WorkspaceObserved {
	text := e.Reported()
	if text == "" || e.Workspace == "" {
		return nil
	}
	h.once.Do(func() { h.config, _ = ledger.Load(h.Rules) })
	if h.config == nil {
		return nil
	}
	q := h.config.Questions(text)
	look := Look{Workspace: h.Desk.Workspace(e.Session, e.Workspace), Folder: e.Workspace, Wrote: h.Desk.Written(e.Session), Sets: h.config.Sets}
	return look.At(context.Background(), q)
}
