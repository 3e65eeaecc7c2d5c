// Package warrant judges breaks by what comes after them (RW-32): a break is
// warranted where the same trigger comes again or the run fails, and not where
// the run succeeds without anything being done about it.
//
// [Config.Apply] folds the events of a run in the order of DECISIONS and returns
// the breaks whose outcome changed. [State] is plain JSON, bounded by [Config.Kept].
package warrant
