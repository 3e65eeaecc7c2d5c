// Package agents proves, with the real command lines of coding agents against
// mock models on loopback, that turns come out through the installed hooks and
// that interrupts and halts go in. `make e2e-agents` runs it; it is not part of
// `make ci`, as it needs npm and the registry.
package agents
