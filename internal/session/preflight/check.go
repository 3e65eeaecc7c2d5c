package preflight

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Redactor replaces secrets (SW-7); *redact.Redactor is one.
type Redactor interface {
	Turn(sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding)
	Text(text, path string) (string, []sessionevents.SecretFinding)
}

// Content examines what a call would write, send or commit (DP-3); package content has
// the implementation that uses the detectors.
type Content interface {
	Signals(call *Call) []sessionevents.Signal
}

// Options are the parts of a Checker. Without Content, what is about to be written is not
// examined (GD-20).
type Options struct {
	Rules     *rules.Set
	Redactor  Redactor
	Segmenter *segment.Segmenter
	Content   Content
	// Judge is created from the rules if it is nil.
	Judge *guard.Judge
}

// Checker answers calls. It keeps no state between them and is safe for concurrent use.
type Checker struct {
	config    *Config
	dispatch  *budget.Config
	redactor  Redactor
	segmenter *segment.Segmenter
	content   Content
	guard     *guard.Judge
}

// New returns a Checker. It fails if its parts cannot read the rule data.
func New(o Options) (*Checker, error) {
	c := &Checker{redactor: o.Redactor, segmenter: o.Segmenter, content: o.Content}
	var err error
	if c.config, err = LoadConfig(o.Rules); err != nil {
		return nil, err
	}
	if c.dispatch, err = budget.LoadConfig(o.Rules); err != nil {
		return nil, err
	}
	if c.guard = o.Judge; c.guard == nil {
		if c.guard, err = guard.New(o.Rules); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Check returns the strictest answer of all classes to one call (DP-24). It never fails;
// a call that cannot be examined is allowed, with the reason.
func (c *Checker) Check(call Call) Answer {
	answer := c.release(&call)
	if answer.Decision == Deny {
		return answer
	}
	answer = stricter(answer, c.halt(&call))
	if answer.Decision == Deny {
		return answer
	}
	return stricter(answer, c.examined(&call))
}

// examined examines the call itself. Hostile input that makes a library panic does not
// stop the agent.
func (c *Checker) examined(call *Call) (answer Answer) {
	defer func() {
		if recover() != nil {
			answer = allowed("not examined: the call cannot be read")
		}
	}()
	if len(call.Input) > c.config.MaxBytes {
		return allowed(fmt.Sprintf("not examined: the input has %d bytes, the limit is %d", len(call.Input), c.config.MaxBytes))
	}
	answer = stricter(stricter(c.security(call), c.commit(call)), c.destructive(call))
	answer.Writes = c.Writes(call)
	return answer
}
