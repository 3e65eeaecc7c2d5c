// Package events is the public contract of scaffoldwatch: the CloudEvents
// types it receives and sends, their JSON shapes, and the NATS subjects they
// travel on (EV-1 … EV-11).
//
// An [Event] is one CloudEvents 1.0 envelope together with its typed data.
// Input events come from publishers (turn.raw, session.opened, run events …)
// and keep fields this version does not know; derived events are functions of
// their inputs, so a replay yields the same bytes (EV-2).
//
// schema/, testdata/ and docs/asyncapi.yaml are generated from the Go types and
// the examples of internal/gen/contract: run `make golden` after a change.
package events

//go:generate go test . -run TestGeneratedFilesAreFresh -update
