// Package wire holds what the two ends of a hook call share, without the packages
// of either.
package wire

// ErrorHeader says why a call was not accepted.
const ErrorHeader = "X-Scaffoldwatch-Error"
