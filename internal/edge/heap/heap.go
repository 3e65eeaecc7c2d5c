// Package heap postpones garbage collection while the heap is small. Go collects first at 4 MB,
// which the libraries of the command line reach before main, and 25 times in a scan of 50 sessions.
// A process that somebody waits for is over before there is anything worth collecting.
//
// The package acts when it is initialised. It imports nothing that is slow to start, so that it
// comes before the libraries that allocate. [Usual] ends it in a process that keeps running.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	floor = 128 << 20 // nothing is collected while the heap is smaller
	first = 4 << 20   // where Go collects first with the usual percentage
	usual = 100
)

// lifted is set while the floor holds.
var lifted atomic.Bool

func init() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return // who starts the process has decided
	}
	lifted.Store(true)
	debug.SetGCPercent(floor / first * usual)
	afterCollection(adjust)
}

// Usual collects from now on as Go does without this package.
func Usual() {
	if lifted.Swap(false) {
		debug.SetGCPercent(usual)
	}
}

// adjust lets the heap grow to the floor before the next collection, again after each one: a
// percentage means more the more bytes are in use.
func adjust() (again bool) {
	if !lifted.Load() {
		return false
	}
	debug.SetGCPercent(percentFor(live()))
	if !lifted.Load() { // Usual was called meanwhile
		debug.SetGCPercent(usual)
	}
	return true
}

// percentFor is by how much the heap may grow when so many bytes are in use.
func percentFor(live uint64) int {
	return max(usual, int(floor*usual/max(live, first))-usual)
}

// live is how many bytes the last collection found in use.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// afterCollection calls f after each collection until it returns false.
func afterCollection(f func() (again bool)) {
	runtime.AddCleanup(new([16]byte), func(f func() bool) {
		if f() {
			afterCollection(f)
		}
	}, f)
}
