// Package deployed holds what deploy/compose and deploy/helm promise: they are rendered and checked by the
// libraries of their own tools, and the chart's pods are started as processes. test/deploy starts those of
// the compose file.
package deployed
