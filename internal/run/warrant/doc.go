// Package warrant judges breaks by what happens after them (RW-32): a break was
// warranted if the same trigger recurs or the run fails, and not warranted if
// the run succeeds although nothing was changed.
//
// [Config.Apply] folds the events of a run in the order of DECISIONS and returns
// the breaks whose outcome changed. [State] is plain JSON, bounded by [Config.Kept].
package warrant
