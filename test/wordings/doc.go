// Package wordings holds what A1, A2, A3, B1 and D2 must hear in words and code that nobody had tuned
// on when they were written down, each kind with its harmless twins: rules in their shortest form,
// recorded decisions by topic, copies under another name, secrets of words, things that were not asked
// for. A case says what a session did and which detector is to speak, or to be silent.
package wordings
