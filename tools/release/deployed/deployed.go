// Package deployed holds what deploy/compose and deploy/helm promise: they are rendered and checked by the
// libraries of their own tools. test/deploy starts the processes.
package deployed
