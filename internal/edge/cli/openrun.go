package cli

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
)

// Deciding is the stage whose verdicts count.
const Deciding = "dispatcher"

// CommandSource is the CloudEvents source of events reported at the command line.
const CommandSource = "/scaffoldwatch/run-event"

// OpenRun connects to the running system and opens a run on it, for a program that reports or asks.
func (c Connection) OpenRun(r *Call, id string, Patience time.Duration) (*client.Run, func(), error) {
	return c.Patient().OpenRunAs(r, id, CommandSource, Patience)
}

// OpenRunAs is OpenRun with a CloudEvents source for the events it publishes.
func (c Connection) OpenRunAs(r *Call, id, source string, Patience time.Duration) (*client.Run, func(), error) {
	if Patience <= 0 {
		return nil, nil, Usage(fmt.Errorf("--timeout %s: must be more than 0", Patience))
	}
	broker, nc, err := c.Open(r)
	if err != nil {
		return nil, nil, err
	}
	run, err := client.OpenRun(nc, id, client.RunOptions{Source: source, Patience: Patience, TrustedKeys: broker.Keys().Trusted[Deciding], RevokedKeys: broker.Keys().Revoked})
	if err != nil {
		return nil, nil, Usage(err)
	}
	return run, func() { _ = run.Close() }, nil // nothing of it is buffered
}
