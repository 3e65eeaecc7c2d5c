// Package notice decides what is sent to whom, through which channel and when (PL-50, PL-51); package
// notify sends it. It is a pure fold of DECISIONS: events arrive through [State.Apply], the time through
// [State.Tick], the outcome of a message through [State.Done]; [State.Due] returns what is to be sent now.
// It delays, groups, repeats, holds and gives up. Everything it knows is in State, which is plain JSON and
// bounded.
package notice
