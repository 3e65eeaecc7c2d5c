// Package aftermath judges what was done about one run by what came of it:
// whether breaks were warranted (RW-32) and whether corrective actions helped
// (RW-42). The run report and the read model's fleet report ask the same fold,
// so they never disagree.
//
// [State] is plain data and goes through JSON unchanged; its lists are bounded by
// [Settings.Entries], what is left out is counted. The same events in the same
// order give the same state.
package aftermath
