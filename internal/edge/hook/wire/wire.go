// Package wire holds what both ends of a hook call share, without depending on the packages of either.
package wire

// ErrorHeader gives the reason why a call was not accepted.
const ErrorHeader = "X-Scaffoldwatch-Error"
