package policy

import (
	"fmt"
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// BenchmarkTurn is what a turn of a running session costs here: most of what the
// dispatcher reads. baseline is what the loop around it costs.
func BenchmarkTurn(b *testing.B) {
	for _, with := range []bool{false, true} {
		b.Run(map[bool]string{false: "baseline", true: "fold"}[with], func(b *testing.B) {
			p := newPlayer(b)
			for i := range 20 {
				p.feed(&sessionevents.TurnEvaluated{Session: fmt.Sprint("s", i), Run: "r", Turn: 1})
			}
			ev := p.event(&sessionevents.TurnEvaluated{Session: "s7", Run: "r", Turn: 2})
			in, out := step.Input{Event: ev}, step.NewEmitter("dispatcher", step.Identity{}, ev)
			b.ReportAllocs()
			for b.Loop() {
				v := run.NewContext(in)
				if with {
					p.config.Decide(p.state, v)
					p.config.Settle(p.state, v, out)
				}
			}
		})
	}
}

// BenchmarkCycle compares cycles of 50 findings without ids.
func BenchmarkCycle(b *testing.B) {
	p := newPlayer(b)
	var list []runevents.Finding
	for i := range 50 {
		list = append(list, runevents.Finding{File: fmt.Sprint("f", i%9), Category: "quality", Text: fmt.Sprintf("The loop %d has no limit and nobody tests the case %d.", i, i*7)})
	}
	b.ReportAllocs()
	for b.Loop() {
		p.feed(&runevents.CycleCompleted{Findings: list})
	}
}
