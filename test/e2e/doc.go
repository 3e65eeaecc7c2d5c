// Package e2e tests the whole system in one process, on a real broker: that no secret is stored anywhere, and
// that the services decide what `scan` decides.
package e2e
