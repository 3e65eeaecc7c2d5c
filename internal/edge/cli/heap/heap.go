// Package heap postpones garbage collection while the heap is small. Go first collects at 4 MB, which the
// libraries of the command line reach before main, and 25 times in a scan of 50 sessions. A short-lived
// process exits before there is anything worth collecting.
//
// The package takes effect when it is initialised. It imports nothing that is slow to start, so that it
// precedes the libraries that allocate. [Usual] restores Go's behaviour in a process that keeps running;
// [Raise] goes further in one that processes a lot.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	least = 128 << 20 // the floor of every command
	first = 4 << 20   // where Go first collects with the default percentage
	usual = 100
)

// floor is the heap size below which nothing is collected, 0 if Go decides.
var floor atomic.Uint64

// decided reports whether the environment configures the collection already.
func decided() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

func init() {
	if decided() {
		return
	}
	floor.Store(least)
	debug.SetGCPercent(least / first * usual)
	afterCollection(adjust)
}

// Usual restores Go's usual collection from now on.
func Usual() {
	if floor.Swap(0) != 0 {
		debug.SetGCPercent(usual)
	}
}

// Raise lets the heap grow to a larger size before anything is collected. A command that folds a whole
// history leaves behind more than it keeps: with 512 MB it needs about a tenth less processor time.
func Raise(size uint64) {
	if decided() {
		return
	}
	if floor.Swap(size) == 0 {
		afterCollection(adjust)
	}
	debug.SetGCPercent(percentFor(live(), size))
}

// adjust lets the heap grow to the floor before the next collection, and has to be repeated after each one:
// the same percentage means more, the more bytes are in use.
func adjust() (again bool) {
	size := floor.Load()
	if size == 0 {
		return false
	}
	debug.SetGCPercent(percentFor(live(), size))
	if floor.Load() == 0 { // Usual was called meanwhile
		debug.SetGCPercent(usual)
	}
	return true
}

// percentFor returns the percentage by which the heap may grow to a size while so many bytes are in use.
func percentFor(live, size uint64) int {
	return max(usual, int(size*usual/max(live, first))-usual)
}

// live returns how many bytes the last collection found in use.
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
