// Package client is the small public SDK of scaffoldwatch: it publishes the events of agents and
// orchestrators, and subscribes to scaffoldwatch's decisions.
//
// A [Publisher] sends turns, sessions, deliveries and run events. It is
// idempotent: the id of an event is a function of what it says, so sending it
// twice is the same event (EV-2). It waits for the broker's acknowledgement,
// bounds what is in flight, retries until its context ends, shortens oversized
// tool output with a visible mark (EV-3) and can keep events on disk while
// JetStream is out of reach (EV-11).
//
// A [Subscriber] reads interrupts and halts of a session, a run or the fleet from any position of
// the stream, and the control state that decides whether a harness may continue (EV-8).
//
// Both take a connection made with nats.Connect. Use nats.RetryOnFailedConnect
// and nats.MaxReconnects(-1) for a harness that should start, and spool, while
// the broker is down.
package client
