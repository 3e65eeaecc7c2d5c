package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// connect starts an embedded NATS server with the streams of scaffoldwatch and
// connects to it. A program connects with nats.Connect to a running system.
func connect(ctx context.Context) (conn *nats.Conn, js jetstream.JetStream, stop func()) {
	b, err := startBroker()
	if err != nil {
		log.Fatal(err)
	}
	if conn, err = b.connect(); err != nil {
		log.Fatal(err)
	}
	if js, err = jetstream.New(conn); err != nil {
		log.Fatal(err)
	}
	if err := provision(ctx, js); err != nil {
		log.Fatal(err)
	}
	return conn, js, func() { conn.Close(); b.remove() }
}

func ExamplePublisher() {
	ctx := context.Background()
	conn, _, stop := connect(ctx)
	defer stop()

	publisher, err := client.NewPublisher(conn, client.PublisherOptions{Source: "/harness/example"})
	if err != nil {
		log.Fatal(err)
	}
	defer publisher.Close()

	if _, err := publisher.OpenSession(ctx, sessionevents.SessionOpened{Session: "s-1", Task: "Retry failed payment calls."}); err != nil {
		log.Fatal(err)
	}
	turn := sessionevents.Turn{Session: "s-1", TurnID: "turn-1", Blocks: []sessionevents.Block{
		{Type: sessionevents.BlockText, Text: "I will look for an existing retry helper."},
		{Type: sessionevents.BlockToolCall, ID: "c1", Name: "Grep", Input: json.RawMessage(`{"pattern":"func Retry"}`)},
		{Type: sessionevents.BlockToolResult, ID: "c1", Output: "internal/httpx/client.go:41:func Retry("},
	}}
	first, err := publisher.Turn(ctx, turn)
	if err != nil {
		log.Fatal(err)
	}
	second, err := publisher.Turn(ctx, turn) // sending a turn twice is safe
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sequence:", first.Sequence)
	fmt.Println("sequence:", second.Sequence, "the same event:", second.ID == first.ID)
	if _, err := publisher.CloseSession(ctx, "", sessionevents.SessionClosed{Session: "s-1", Reason: "completed"}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// sequence: 2
	// sequence: 3 the same event: true
}

func ExamplePublisher_Event() {
	ctx := context.Background()
	conn, _, stop := connect(ctx)
	defer stop()
	publisher, err := client.NewPublisher(conn, client.PublisherOptions{Source: "/orchestrators/example"})
	if err != nil {
		log.Fatal(err)
	}
	defer publisher.Close()

	// A run event: its subject is the run, and it names who did it.
	_, err = publisher.Event(ctx, events.Event{
		Type: runevents.TypeTaskCompleted, Subject: "checkout-retry",
		Data: &runevents.TaskCompleted{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "example"}, Task: "retry", Outcome: runevents.RunOutcomeSuccess},
	})
	fmt.Println("published:", err == nil)

	_, err = publisher.Event(ctx, events.Event{Type: runevents.TypeTaskCompleted, Subject: "checkout.retry", Data: &runevents.TaskCompleted{}})
	fmt.Println(err)
	// Output:
	// published: true
	// subject: id "checkout.retry" cannot be part of a subject (use 1 to 128 of the characters A-Z a-z 0-9 _ -)
}

// A harness that goes on while the broker is away.
func ExamplePublisher_Flush() {
	ctx := context.Background()
	conn, _, stop := connect(ctx)
	defer stop()
	dir, err := os.MkdirTemp("", "spool-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	publisher, err := client.NewPublisher(conn, client.PublisherOptions{
		Source: "/harness/example",
		Spool:  &client.SpoolOptions{Dir: dir, MaxBytes: 16 << 20},
		OnShed: func(s client.Shed) { log.Printf("lost %s %s: %s", s.Type, s.ID, s.Reason) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer publisher.Close()
	if _, err := publisher.Turn(ctx, sessionevents.Turn{Session: "s-1", TurnID: "turn-1"}); err != nil {
		log.Fatal(err)
	}
	if err := publisher.Flush(ctx); err != nil { // wait until nothing is left on disk
		log.Fatal(err)
	}
	stats, err := publisher.Stats()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("published %d, on disk %d, shed %d\n", stats.Published, stats.Spooled, stats.Shed)
	// Output: published 1, on disk 0, shed 0
}

func ExampleSubscriber_Interrupts() {
	ctx := context.Background()
	conn, js, stop := connect(ctx)
	defer stop()

	// The dispatcher decides; here the example does.
	interrupt := &sessionevents.InterruptFired{
		Session: "s-1", Turn: 4, ID: "i-1", Detector: "A1", UrgencyLabel: "4.0",
		Message: "httpx.Retry already retries calls; use it.",
	}
	if err := decide(ctx, js, events.Event{ID: "e-1", Type: sessionevents.TypeInterruptFired, Subject: "s-1", Data: interrupt}); err != nil {
		log.Fatal(err)
	}

	subscriber, err := client.NewSubscriber(conn, client.SubscriberOptions{})
	if err != nil {
		log.Fatal(err)
	}
	publisher, err := client.NewPublisher(conn, client.PublisherOptions{Source: "/harness/example"})
	if err != nil {
		log.Fatal(err)
	}
	defer publisher.Close()
	for interrupt, err := range subscriber.Interrupts(ctx, client.Filter{Session: "s-1"}, client.Start{All: true}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(interrupt.Fired.UrgencyLabel, interrupt.Fired.Message)
		// Say the message to the agent, then report that it was said.
		if _, err := publisher.Delivery(ctx, interrupt.Fired.Run, interrupt.Delivery(sessionevents.DeliveryDelivered, "hook", "example")); err != nil {
			log.Fatal(err)
		}
		break // a harness goes on, and resumes at Start{Sequence: interrupt.Sequence + 1}
	}
	// Output: 4.0 httpx.Retry already retries calls; use it.
}

func ExampleSubscriber_Control() {
	ctx := context.Background()
	conn, js, stop := connect(ctx)
	defer stop()
	subscriber, err := client.NewSubscriber(conn, client.SubscriberOptions{})
	if err != nil {
		log.Fatal(err)
	}
	show := func() {
		control, err := subscriber.Control(ctx, client.Filter{Session: "s-1", Run: "checkout-retry"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %q\n", control.State, control.Why)
	}
	show() // no key: not known to run

	// The dispatcher decides; here the example does.
	halted := &runevents.ControlChanged{State: runevents.ControlHalted, Why: "budget exhausted", Scope: runevents.ScopeRun}
	if err := decide(ctx, js, events.Event{ID: "c-1", Type: runevents.TypeControlChanged, Subject: "checkout-retry", Data: halted}); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// unknown: ""
	// halted: "budget exhausted"
}

// A loop that obeys: after every step it hears whether it may go on.
func ExampleRun_Do() {
	ctx := context.Background()
	conn, _, stop := connect(ctx)
	defer stop()
	defer decideForExample(ctx, conn)()

	run, err := client.OpenRun(conn, "checkout-retry", client.RunOptions{Source: "/orchestrators/example"})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	for {
		verdict, err := run.Do(ctx, runevents.AgentCompleted{AgentID: "maker", Outcome: runevents.RunOutcomeFailure})
		if err != nil {
			log.Fatal(err) // nothing is known: stop
		}
		fmt.Println(verdict.State)
		if verdict.MustStop() {
			fmt.Println(verdict.Breaks()[0].Reason)
			break
		}
	}
	// Output:
	// running
	// running
	// halted
	// 3 agents failed in a row
}

// A gate that nobody opens is closed.
func ExampleRun_Gate() {
	ctx := context.Background()
	conn, _, stop := connect(ctx) // nothing runs that could decide
	defer stop()

	run, err := client.OpenRun(conn, "checkout-retry", client.RunOptions{Source: "/orchestrators/example", Patience: 100 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	answer, err := run.Gate(ctx, runevents.GateRequested{Gate: runevents.GateLaunch, Wave: 1})
	fmt.Println(answer.Decision, answer.Rule, client.Allows(&answer), errors.Is(err, client.ErrNoVerdict))
	// Output: deny fail-closed false true
}

// decideForExample stands in for a running system: the third failure halts.
func decideForExample(ctx context.Context, conn *nats.Conn) (stop func()) {
	js, err := jetstream.New(conn)
	if err != nil {
		log.Fatal(err)
	}
	consumer, err := js.OrderedConsumer(ctx, string(events.StreamInput), jetstream.OrderedConsumerConfig{})
	if err != nil {
		log.Fatal(err)
	}
	failures := 0
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		told, err := events.DecodeMessage(m.Headers(), m.Data())
		if err != nil {
			return
		}
		about := events.Event{Subject: told.Subject, PartitionKey: told.Subject, CausationID: told.ID}
		evaluated := &runevents.RunEvaluated{Event: told.ID, EventType: string(told.Type), State: runevents.ControlRunning, Decisions: []string{}}
		if failures++; failures == 3 {
			evaluated.State, evaluated.Break = runevents.ControlHalted, "break-1"
			broke := about
			broke.ID, broke.Type = "break-1", runevents.TypeWiggumBreak
			broke.Data = &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Reason: "3 agents failed in a row", Scope: runevents.ScopeRun, Evidence: []string{}, WIPAction: runevents.WIPCommit}
			_ = decide(ctx, js, broke)
		}
		about.ID, about.Type, about.Data = "evaluated-"+told.ID, runevents.TypeRunEvaluated, evaluated
		_ = decide(ctx, js, about)
	})
	if err != nil {
		log.Fatal(err)
	}
	return consuming.Stop
}
