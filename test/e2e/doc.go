// Package e2e tests the whole system in one process, on a real broker: that
// secrets stand nowhere, and that the services decide what `scan` decides.
package e2e
