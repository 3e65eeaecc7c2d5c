package claudecode

import (
	"context"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// result ends the task: its last turn is complete and has the cost.
func (r *reader) result(ctx context.Context, l *streamLine) error {
	if r.live == nil {
		return nil
	}
	r.failed = ""
	if l.IsError {
		r.failed = l.Subtype
		r.fail(l.Subtype)
	}
	r.working = false
	clear(r.partial)
	r.live.Flush()
	cost := l.TotalCost - r.spent
	r.spent = l.TotalCost
	err := r.publish(ctx, cost)
	r.driver.rest()
	r.sink.Idle(ctx, r.session)
	return err
}

// fail records a task that ended with an error as a failed turn (RW-35). Reaching a limit, or our own halt,
// is not a failure of the agent.
func (r *reader) fail(subtype string) {
	switch {
	case r.driver.haltReason() != "":
	case subtype == "success": // its result is the API's error text
		r.live.Fail(transcript.StopAPIError)
	case subtype == "error_during_execution":
		r.live.Fail(subtype)
	}
}

// refuse answers a question meant for a person, as nobody is present.
func (r *reader) refuse(l *streamLine) error {
	r.sink.Note("claude asked for a decision; nobody is present to make it, so it was refused")
	return r.driver.agent.Write(map[string]any{"type": "control_response", "response": map[string]string{
		"subtype": "error", "request_id": l.RequestID, "error": "unattended: nobody is present to decide",
	}})
}

// close completes what is open and closes the sessions, subagents first.
func (r *reader) close(ctx context.Context) error {
	if r.live == nil {
		return errors.New("claude ended before its session began")
	}
	if r.working && r.driver.crashed(ctx) {
		r.live.Fail(transcript.StopCrashed)
	}
	r.live.Flush()
	ctx = context.WithoutCancel(ctx)
	problem := r.publish(ctx, 0)
	problem = errors.Join(problem, r.ledger.Close(ctx, r.sink, r.reason()))
	if r.failed != "" {
		problem = errors.Join(problem, fmt.Errorf("claude ended its task with %s", r.failed))
	}
	return problem
}

func (r *reader) reason() string {
	switch {
	case r.driver.haltReason() != "":
		return "halted"
	case r.failed != "":
		return r.failed
	}
	return "completed"
}
