package engine

import (
	"sync/atomic"
	"time"
)

// budgetSlices is how many times the clock is read within a budget.
const budgetSlices = 20

// leastShare is what a slice counts in which the process did not compute at all. A step that waits
// for ever is so given up after ten times its budget.
const leastShare = 0.1

// running counts the calls that are within a budget now, of all partitions.
var running atomic.Int64

// within returns the result of f, which runs in a goroutine, and false if it exceeds a budget of
// time. A budget of 0 sets no limit, and f runs in the goroutine of the caller.
//
// The budget is one of work, not of the wall clock, by which a harmless input would be called
// poison. It is counted in slices, each by a timer that starts when the last slice is over: a
// process that was stopped, or a machine that slept, loses one slice however long it was. And a
// slice counts as much as the process could compute in it for each call: one that waits for a core
// behind other processes, or for a container's quota, is not a slow one.
func within[T any](budget time.Duration, f func() T) (result T, whole bool) {
	if budget <= 0 {
		return f(), true
	}
	done := make(chan T, 1)
	running.Add(1)
	go func() {
		defer running.Add(-1)
		done <- f()
	}()
	slice := time.NewTicker(max(budget/budgetSlices, 1))
	defer slice.Stop()
	before := computed()
	return await(done, slice.C, budget, func() time.Duration {
		now := computed()
		used := (now - before) / time.Duration(max(running.Load(), 1))
		before = now
		return used
	})
}

// await returns the result if it comes before slices that count as much as the budget are over.
// A result that is there counts even if the last slice ended at the same time, where select would
// pick either. The last argument returns what was computed since it was called before.
func await[T any](
	done <-chan T, slice <-chan time.Time, budget time.Duration, work func() time.Duration,
) (result T, whole bool) {
	length := float64(budget) / budgetSlices
	for spent := 0.0; spent < budgetSlices; {
		select {
		case result = <-done:
			return result, true
		case <-slice:
			spent += min(max(float64(work())/length, leastShare), 1)
		}
	}
	select {
	case result = <-done:
		return result, true
	default:
		return result, false
	}
}
