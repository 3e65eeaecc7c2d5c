package process

import (
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
)

// Suspend freezes the agent with its group until Resume or Stop. The error wraps driver.ErrUnsupported if
// the agent has exited (ErrEnded) or the system does not support it.
func (p *Process) Suspend() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%w: %w", drive.ErrUnsupported, ErrEnded)
	default:
	}
	if err := stopGroup(p.cmd); errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%w: %w", drive.ErrUnsupported, err)
	} else if err != nil {
		return fmt.Errorf("suspend %s: %w", p.name, err)
	}
	return nil
}

// Resume lets a suspended agent continue; it has no effect on any other.
func (p *Process) Resume() {
	select {
	case <-p.ended: // the group's number may have been reused
	default:
		continueGroup(p.cmd)
	}
}
