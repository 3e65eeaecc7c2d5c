// Package notice decides what is sent to whom, by which channel and when (PL-50,
// PL-51); package notify sends it. It is a pure fold of DECISIONS: events come in
// with [State.Apply], the clock with [State.Tick], what became of a message with
// [State.Done]; [State.Due] names what is to be sent now. It waits, groups, repeats,
// holds and gives up. All it knows is in State,
// which is plain JSON and bounded.
package notice
