package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// block is the size of the files in which the broker stores a stream. What it does with a
// full one, such as compressing it, happens only beyond that size.
const block = 8 << 20

// lesson is the size of the text that one event of a fill carries.
const lesson = 96 << 10

// fill returns runs, one for each publisher, whose events carry so much text that every stream, from INPUT
// to DECISIONS, holds more than size bytes of it: each stage forwards what was injected into an agent's
// memory.
func fill(seed uint64, size int) [][]events.Event {
	if size == 0 {
		return nil
	}
	random := rand.New(rand.NewPCG(seed, 7))
	lists := make([][]events.Event, publishers)
	for i := range lists {
		lists[i] = filled(fmt.Sprintf("fill-%d", i), random, (size/publishers+lesson-1)/lesson+1)
	}
	return lists
}

// filled returns one such run.
func filled(run string, random *rand.Rand, count int) []events.Event {
	at, actor := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "chaos"}
	var list []events.Event
	add := func(typ events.Type, data any) {
		at = at.Add(time.Second)
		list = append(list, events.Event{
			ID: fmt.Sprintf("%s-%03d", run, len(list)), Source: "/chaos/fill", Type: typ, Subject: run, Time: at, PartitionKey: run, Correlation: run, Data: data,
		})
	}
	add(runevents.TypeRunStarted, &runevents.RunStarted{Actor: actor, Workspace: "/srv/" + run, Project: run, Kind: "build", Goal: "Fill the streams."})
	for n := range count {
		add(runevents.TypeMemoryInjected, &runevents.MemoryInjected{
			Actor: actor, AgentID: run + "-agent", Lessons: []runevents.Lesson{{ID: fmt.Sprint("L", n), Text: prose(random)}},
		})
	}
	add(runevents.TypeRunCompleted, &runevents.RunCompleted{Actor: actor, Outcome: runevents.RunOutcomeSuccess, Summary: "Filled."})
	return list
}

// prose returns text that compresses about as well as that of agents.
func prose(random *rand.Rand) string {
	words := strings.Fields("the agent reads a file and writes another while the person waits for a test to pass or fail again")
	var b strings.Builder
	for b.Len() < lesson {
		b.WriteString(words[random.IntN(len(words))])
		if random.IntN(4) == 0 {
			b.WriteString(strconv.Itoa(random.IntN(99999)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// awaitFull waits until every stream holds more than a full block.
func (c *cluster) awaitFull(ctx context.Context, size int) error {
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: c.urls, Name: "full"})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return err
	}
	sizes := ""
	err = c.await(ctx, func() bool {
		var full bool
		sizes, full = stored(ctx, js, uint64(min(size, block)))
		return full
	})
	if err != nil {
		return fmt.Errorf("fill the streams (%s): %w", sizes, err)
	}
	fmt.Printf("chaos: streams are filled: %s\n", sizes)
	return nil
}

// stored returns the size of each stream, and whether the total is more than least.
func stored(ctx context.Context, js jetstream.JetStream, least uint64) (sizes string, full bool) {
	var parts []string
	full = true
	for _, name := range []events.Stream{events.StreamInput, events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		asked, cancel := context.WithTimeout(ctx, 2*time.Second)
		stream, err := js.Stream(asked, string(name))
		cancel()
		if err != nil {
			return err.Error(), false
		}
		bytes := stream.CachedInfo().State.Bytes
		full = full && bytes > least
		parts = append(parts, fmt.Sprintf("%s %.1f MB", name, float64(bytes)/(1<<20)))
	}
	return strings.Join(parts, ", "), full
}
