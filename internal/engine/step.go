package engine

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// stepped is the result of one Step.
type stepped[S any] struct {
	state   S
	derived []events.Event
	fault   string
}

// step runs the machine's Step within its budget of work. A panic, an error or
// an overrun is the input's fault, and the state must not be used afterwards. A
// step that never returns keeps its goroutine; the partition continues.
func (k *Kernel[S]) step(state S, in step.Input) (S, []events.Event, string) {
	result, whole := within(k.options.StepBudget, func() stepped[S] { return k.guarded(state, in) })
	if !whole {
		return result.state, nil, fmt.Sprintf("step exceeds its budget of %s", k.options.StepBudget)
	}
	return result.state, result.derived, result.fault
}

func (k *Kernel[S]) guarded(state S, in step.Input) (result stepped[S]) {
	if purges(in.Event) {
		state = k.machine.New(in.Event.Group())
	}
	defer func() {
		if cause := recover(); cause != nil {
			result = stepped[S]{fault: fmt.Sprintf("step panics at %s", panicSite(debug.Stack()))}
		}
	}()
	out := step.NewEmitter(k.machine.Stage(), k.identity, in.Event)
	next, err := k.machine.Step(state, in, out)
	if err != nil {
		return stepped[S]{fault: "step fails: " + err.Error()}
	}
	return stepped[S]{state: next, derived: out.Events()}
}

// panicSite returns the file and line that panicked, from a stack trace. The
// panic's value is left out: it may quote the input (SW-7).
func panicSite(stack []byte) string {
	_, after, found := bytes.Cut(stack, []byte("panic("))
	if !found {
		return "an unknown place"
	}
	lines := bytes.Split(after, []byte("\n"))
	for _, line := range lines[min(2, len(lines)):] {
		if place, _, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" +0x")); ok && !bytes.Contains(place, []byte("/runtime/")) {
			return filepath.Base(string(place))
		}
	}
	return "an unknown place"
}
