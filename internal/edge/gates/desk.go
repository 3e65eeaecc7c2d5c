package gates

import (
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// desk gives what is decided to those who wait for it.
type desk struct {
	mu      sync.Mutex
	waiting map[string]*waiter // by id of the event that asks
}

// waiter waits for the answer of one gate.
type waiter struct {
	gate   runevents.Gate
	answer *runevents.GateDecided
	failed string
	closed chan struct{} // when all is decided about the event
}

func newDesk() *desk { return &desk{waiting: map[string]*waiter{}} }

func (d *desk) wait(id string, gate runevents.Gate) *waiter {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := &waiter{gate: gate, closed: make(chan struct{})}
	d.waiting[id] = w
	return w
}

func (d *desk) leave(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.waiting, id)
}

// take hears one decision.
func (d *desk) take(e events.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch data := e.Data.(type) {
	case *runevents.GateDecided:
		w := d.waiting[data.Asked]
		if w == nil || w.gate != data.Gate {
			return
		}
		if w.answer == nil || client.Allows(w.answer) && !client.Allows(data) { // of several the strictest
			w.answer = data
		}
	case *runevents.RunEvaluated:
		if w := d.waiting[data.Event]; w != nil {
			w.failed = data.Failed
			close(w.closed)
			delete(d.waiting, data.Event)
		}
	}
}
