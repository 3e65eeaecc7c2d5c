package codex

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
)

// Pause freezes the agent with all its sessions, which are one process. It does not exit while it is
// paused, even when its task is done.
func (d *Driver) Pause(_ context.Context, session string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.halted != "" || d.away(session) {
		return drive.ErrUnsupported
	}
	if d.idle != nil {
		d.idle.Stop()
	}
	return d.rpc.agent.Suspend()
}

// Resume lets the agent continue where it was.
func (d *Driver) Resume(_ context.Context, session string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away(session) {
		return drive.ErrUnsupported
	}
	d.rpc.agent.Resume()
	if d.idle != nil {
		d.idle.Reset(d.options.Linger)
	}
	return nil
}

// away reports whether a session does not belong to the agent; the caller holds the lock.
func (d *Driver) away(session string) bool {
	return d.rpc == nil || d.threads[session] == nil
}
