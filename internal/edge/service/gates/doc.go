// Package gates answers gates by request and reply: the NATS micro service scaffoldwatch-gates accepts a
// request at gate.request, publishes gate.requested to INPUT like any other fact, waits for the
// gate.decided that the dispatcher commits, and replies with it. It decides nothing itself, and it fails
// closed: without an answer the reply is a deny with the reason.
//
// One reader of DECISIONS serves all requests. It accepts only events covered by a batch of the dispatcher
// (EV-6), so a forged answer opens no gate.
package gates
