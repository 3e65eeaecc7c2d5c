package natstest

import "go.uber.org/goleak"

// Leftovers are goroutines that nats-server 2.15.2 itself leaves for a while
// when it is stopped in the middle of its work: the loops of a store that was
// opened while it stopped, and INPUT's request for what went off in TIMERS. A
// leak test passes over these and nothing else of the server.
func Leftovers() []goleak.Option {
	const server = "github.com/nats-io/nats-server/v2/server"
	return []goleak.Option{
		goleak.IgnoreAnyFunction(server + ".(*msgBlock).flushLoop"),
		goleak.IgnoreAnyFunction(server + ".(*fileStore).flushStreamStateLoop"),
		goleak.IgnoreAnyFunction(server + "/ats.Register.func1"),
		goleak.IgnoreAnyFunction(server + ".(*stream).trySetupSourceConsumer.func3"),
	}
}
