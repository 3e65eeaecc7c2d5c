// Package readmodel stores DECISIONS in SQLite, for lists, the fleet report and
// metrics: sessions, turns, signals, interrupts, their deliveries and
// verdicts, mutes, and counts by day.
//
// It is a projection and may be thrown away at any time. [Model.Apply] folds
// events and stores the position of the last one in the same transaction, so
// each event takes effect exactly once however often its writer is killed. What
// the rows are is a function of the stream alone: the same events give the same
// rows, in whatever batches they come, also where rows leave for lack of room.
// Two writers do no harm: the one that finds the position moved gets [ErrMoved].
package readmodel
