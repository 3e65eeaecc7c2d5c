package natstest

import "go.uber.org/goleak"

// Leftovers returns options for a leak test that ignore goroutines which
// nats-server 2.15.2 leaves for a while when it is stopped in the middle of its
// work: the loops of a store that was opened while it stopped, and INPUT's request
// for expired timers.
func Leftovers() []goleak.Option {
	const server = "github.com/nats-io/nats-server/v2/server"
	return []goleak.Option{
		goleak.IgnoreAnyFunction(server + ".(*msgBlock).flushLoop"),
		goleak.IgnoreAnyFunction(server + ".(*fileStore).flushStreamStateLoop"),
		goleak.IgnoreAnyFunction(server + "/ats.Register.func1"),
		goleak.IgnoreAnyFunction(server + ".(*stream).trySetupSourceConsumer.func3"),
	}
}
