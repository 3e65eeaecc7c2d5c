package gates

import (
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// desk passes decisions to those who wait for them.
type desk struct {
	mu      sync.Mutex
	waiting map[string]*waiter // by the id of the requesting event
}

// waiter waits for the answer of one gate.
type waiter struct {
	gate   runevents.Gate
	answer *runevents.GateDecided
	failed string
	closed chan struct{} // closed once everything about the event is decided
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

// take handles one decision.
func (d *desk) take(e events.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch data := e.Data.(type) {
	case *runevents.GateDecided:
		w := d.waiting[data.Asked]
		if w == nil || w.gate != data.Gate {
			return
		}
		if w.answer == nil || client.Allows(w.answer) && !client.Allows(data) { // the strictest of several
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
