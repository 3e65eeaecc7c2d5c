// Package backtest compares what several sets of rules decide of the same input (AU-20).
// It folds the events that each derives, input by input; it reads nothing and writes
// nothing.
//
// A decision has a key that does not depend on the rules: what it is about. Decisions of
// one session with the same key are the same decision, if they also agree in turn and
// answer; else it has moved. What an agent did is recorded and does not change with the
// rules, so whatever follows a changed decision in its session is marked.
package backtest
