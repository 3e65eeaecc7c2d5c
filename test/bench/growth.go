package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// growthWindow is how many turns a cost is measured over.
const growthWindow = 50

// growth folds one long session and looks at its states on the way.
func growth(_ context.Context, s scale) error {
	core, err := newCore()
	if err != nil {
		return err
	}
	marks := []int{growthWindow, 500, 5000 / min(s.divide, 5)}
	sessions, err := deliveries(workload.Make(workload.Mix(3, 1, marks[len(marks)-1])).Sessions)
	if err != nil {
		return err
	}
	m := newMachines(core, "s")
	var first, window time.Duration
	n := 0
	for _, e := range sessions[0] {
		began := processTime()
		if err := m.feed(e); err != nil {
			return err
		}
		window += processTime() - began
		if e.Type != sessionevents.TypeTurnRaw {
			continue
		}
		if n++; n%growthWindow != 0 {
			continue
		}
		if first == 0 {
			first = window
		}
		if slices.Contains(marks, n) {
			if err := m.print(n, window.Seconds()/first.Seconds()); err != nil {
				return err
			}
		}
		window = 0
	}
	return nil
}

func (m *grownMachines) print(turns int, cost float64) error {
	var encoded, stored [3]int
	for i, encode := range []func() ([]byte, error){m.ingest.encoded, m.evaluate.encoded, m.dispatch.encoded} {
		data, err := encode()
		if err != nil {
			return err
		}
		encoded[i], stored[i] = len(data), len(packer.EncodeAll(data, nil))
	}
	fmt.Printf("  after %5d turns: state %5.1f KB as stored (ingest %.1f, evaluator %.1f, dispatcher %.1f), %5.1f KB before compression, %5.1f KB in memory; the last %d turns cost %.2f of the first %d\n",
		turns, kb(stored[0]+stored[1]+stored[2]), kb(stored[0]), kb(stored[1]), kb(stored[2]), kb(encoded[0]+encoded[1]+encoded[2]), kb(m.size()), growthWindow, cost, growthWindow)
	return nil
}

// packer compresses as the stage runner does.
var packer, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithAllLitEntropyCompression(true))

func kb(n int) float64 { return float64(n) / 1024 }
