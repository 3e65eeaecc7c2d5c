// Package notice decides which person is told what, by which channel and when
// (PL-50, PL-51). It is a fold of DECISIONS that is told the time: events come in
// with [State.Apply], the clock with [State.Tick], what became of a message with
// [State.Done]; [State.Due] names what is to be sent now. The edge sends, this
// package waits, groups, repeats, holds and gives up. All it knows is in State,
// which is plain JSON and bounded.
package notice
