// Package backtest compares what several sets of rules decide on the same input (AU-20). It folds the
// events that each set derives, input by input, and does no I/O.
//
// A decision has a key that does not depend on the rules: what it is about. Two decisions of a session with
// the same key are the same decision if turn and answer agree as well; otherwise the decision has moved.
// What an agent did is recorded and does not change with the rules, so everything that follows a changed
// decision in its session is marked.
package backtest
