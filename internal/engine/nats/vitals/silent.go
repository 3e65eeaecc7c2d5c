package vitals

import (
	"context"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
)

// Silent returns the fault of a server that answers no ping though the connection to it stands:
// its process is frozen, or the network swallows what is sent. Streams seem to have no leader
// then, whatever is true of them. It returns nil where the server answers, and without a
// connection, whose owner reports that.
func Silent(ctx context.Context, nc *nats.Conn) *Fault {
	if !nc.IsConnected() {
		return nil
	}
	server, address := nc.ConnectedServerName(), nc.ConnectedUrlRedacted()
	asked, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := nc.FlushWithContext(asked); err == nil || ctx.Err() != nil || !nc.IsConnected() {
		return nil
	}
	return &Fault{ServerSilent, "", fmt.Sprintf(
		"%s (%s) keeps the connection open and answers no ping: it is frozen or cut off; within 20 s of "+
			"its last answer "+
			"another server is tried", server, address)}
}

// Hear asks the server of the connection whether it is there, where nobody answered for a stream.
// A silent server is then the one fault that is known: what its streams seem to lack is left out.
func (f *Found) Hear(ctx context.Context, nc *nats.Conn) (silent *Fault) {
	if !slices.ContainsFunc(f.All(), unheard) {
		return nil
	}
	if silent = Silent(ctx, nc); silent == nil {
		return nil
	}
	for i := range f.Streams {
		f.Streams[i].Faults = slices.DeleteFunc(f.Streams[i].Faults, unheard)
	}
	f.Faults = append(slices.DeleteFunc(f.Faults, unheard), *silent)
	return silent
}

func unheard(f Fault) bool { return f.Kind == NoLeader || f.Kind == NoAnswer }
