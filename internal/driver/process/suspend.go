package process

import "fmt"

// Suspend freezes the agent with its group until Resume or Stop. The error wraps
// ErrEnded where it has ended, and errors.ErrUnsupported where the system cannot.
func (p *Process) Suspend() error {
	select {
	case <-p.ended:
		return ErrEnded
	default:
	}
	if err := stopGroup(p.cmd); err != nil {
		return fmt.Errorf("suspend %s: %w", p.name, err)
	}
	return nil
}

// Resume lets a suspended agent go on; another one is left as it is.
func (p *Process) Resume() {
	select {
	case <-p.ended: // the group's number may be another's
	default:
		continueGroup(p.cmd)
	}
}
