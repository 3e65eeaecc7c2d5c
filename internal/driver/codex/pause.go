package codex

import (
	"context"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/driver"
	"github.com/scaffoldwatch/scaffoldwatch/internal/driver/process"
)

// Pause freezes the agent; its sessions are one process. It does not end while
// it is paused, also when its task is done.
func (d *Driver) Pause(_ context.Context, session string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.halted != "" || d.away(session) {
		return driver.ErrUnsupported
	}
	if d.idle != nil {
		d.idle.Stop()
	}
	if err := d.rpc.agent.Suspend(); errors.Is(err, process.ErrEnded) || errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%w: %w", driver.ErrUnsupported, err)
	} else if err != nil {
		return err
	}
	return nil
}

// Resume lets the agent go on where it was.
func (d *Driver) Resume(_ context.Context, session string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away(session) {
		return driver.ErrUnsupported
	}
	d.rpc.agent.Resume()
	if d.idle != nil {
		d.idle.Reset(d.options.Linger)
	}
	return nil
}

// away reports a session that is none of the agent's; the caller holds the lock.
func (d *Driver) away(session string) bool {
	return d.rpc == nil || d.threads[session] == nil
}
