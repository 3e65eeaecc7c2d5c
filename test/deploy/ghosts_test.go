package deploy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// serve runs the three stages, each as its own user, until the test ends.
func serve(t *testing.T, url string, log *slog.Logger) {
	t.Helper()
	running, end := context.WithCancel(t.Context())
	done := make(chan error, len(link.Stages))
	for _, name := range link.Stages {
		c := config.Default()
		c.NATS.URL, c.NATS.User, c.NATS.Password = url, name, name
		c.Streams.Partitions, c.HTTP.Address = 4, ""
		go func() {
			done <- service.Run(running, service.Options{Services: system.Services(name), Config: c, Log: log})
		}()
	}
	t.Cleanup(func() {
		end()
		for range cap(done) {
			require.NoError(t, <-done)
		}
	})
}

// store has the server store its acknowledgement on a subject that the publisher
// may not write.
func store(t *testing.T, nc *nats.Conn, target string) {
	t.Helper()
	require.NoError(t, nc.PublishRequest("run.raw.trick.trick", target, []byte("{}")))
}

// plant publishes turns that write credentials and returns how many are said.
func plant(t *testing.T, url string, sessions int) (said int) {
	t.Helper()
	publisher, err := client.NewPublisher(dial(t, url, "publisher"), client.PublisherOptions{Source: "/test"})
	require.NoError(t, err)
	made := secretstest.New(7)
	for i := range sessions {
		content := made.Fill("api_key = \"{{github}}\"\n")
		_, err := publisher.Turn(t.Context(), sessionevents.Turn{Session: fmt.Sprintf("planted-%d", i), TurnID: "t1", Blocks: []sessionevents.Block{
			{Type: sessionevents.BlockToolCall, ID: "c1", Name: "Write", Input: []byte(fmt.Sprintf(`{"file_path":"app/settings%d.py","content":%q}`, i, content))},
			{Type: sessionevents.BlockToolResult, ID: "c1", Output: "ok"},
		}})
		require.NoError(t, err)
	}
	subscriber, err := client.NewSubscriber(dial(t, url, "subscriber"), client.SubscriberOptions{})
	require.NoError(t, err)
	listen, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for i, err := range subscriber.Interrupts(listen, client.Filter{}, client.Start{All: true}) {
		if err != nil {
			break
		}
		if i.Fired.Detector == "B1" {
			said++
		}
		if said == sessions {
			break
		}
	}
	return said
}

// Ghost members took all partitions from the real instances: 60 keys a stage, made with a publisher's
// credential. A member that no service wrote does not count: every planted credential is still reported, and
// the ghosts are named and removed (EV-6).
func TestGhostsAreNoMembers(t *testing.T) {
	url := startWith(t, oneAccount)
	trickster := dial(t, url, "publisher")
	for _, stage := range link.Stages {
		for i := range 60 {
			store(t, trickster, fmt.Sprintf("$KV.MEMBERS.%s.ghost-%d", stage, i))
		}
	}
	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	bucket, err := js.KeyValue(t.Context(), "MEMBERS")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		keys, err := bucket.Keys(t.Context())
		return err == nil && len(keys) == 180
	}, time.Minute, 5*time.Millisecond, "the trick works in one account")
	warned := &warnings{}
	serve(t, url, warned.log())
	require.Equal(t, 4, plant(t, url, 4))
	require.Contains(t, warned.text(), "stream=MEMBERS")
	require.Eventually(t, func() bool {
		keys, err := bucket.Keys(t.Context())
		return err == nil && len(keys) == len(link.Stages) && !strings.Contains(strings.Join(keys, " "), "ghost")
	}, time.Minute, 50*time.Millisecond)
}

// A position that no service wrote stopped the timers of a stage.
func TestForeignPositionsStopNoTimer(t *testing.T) {
	url := startWith(t, oneAccount)
	trickster := dial(t, url, "publisher")
	for _, stage := range link.Stages {
		store(t, trickster, "$KV.POSITIONS.timers."+stage)
	}
	require.NoError(t, trickster.Flush())
	serve(t, url, quiet())
	require.Equal(t, 1, plant(t, url, 1))
	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	timers, err := js.Stream(t.Context(), "TIMERS")
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the session's idle timer is scheduled
		_, err := timers.GetLastMsgForSubject(t.Context(), "timer.at.ingest.planted-0.planted-0.*")
		return err == nil
	}, time.Minute, 20*time.Millisecond)
	positions, err := js.KeyValue(t.Context(), "POSITIONS")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		entry, err := positions.Get(t.Context(), "timers.ingest")
		return err == nil && strings.Contains(string(entry.Value()), "POSITIONS.timers.ingest")
	}, time.Minute, 20*time.Millisecond, "it is put right")
}

// A halt that was overwritten in CONTROL, which harnesses in other languages read,
// is there again at once; a key that nothing decided is removed.
func TestOverwrittenControlIsPutRight(t *testing.T) {
	url := startWith(t, oneAccount)
	warned := &warnings{}
	serve(t, url, warned.log())
	run, err := client.OpenRun(dial(t, url, "orchestrator"), "nightly", client.RunOptions{Source: "/test", Patience: time.Minute})
	require.NoError(t, err)
	defer func() { require.NoError(t, run.Close()) }()
	_, err = run.Do(t.Context(), runevents.RunStarted{Kind: "build"})
	require.NoError(t, err)
	for range 3 {
		_, err = run.Do(t.Context(), runevents.AgentCompleted{AgentID: "maker", Outcome: "failure"})
		require.NoError(t, err)
	}
	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	bucket, err := js.KeyValue(t.Context(), "CONTROL")
	require.NoError(t, err)
	holds := func(text string) func() bool {
		return func() bool {
			entry, err := bucket.Get(t.Context(), "run.nightly")
			return err == nil && strings.Contains(string(entry.Value()), text)
		}
	}
	require.Eventually(t, holds(`"halted"`), time.Minute, 10*time.Millisecond)
	before, err := bucket.Get(t.Context(), "run.nightly")
	require.NoError(t, err)

	trickster := dial(t, url, "publisher")
	store(t, trickster, "$KV.CONTROL.run.nightly")
	store(t, trickster, "$KV.CONTROL.run.invented")
	store(t, trickster, "$KV.CONTROL.neither")
	require.NoError(t, trickster.Flush())
	require.Eventually(t, func() bool {
		entry, err := bucket.Get(t.Context(), "run.nightly")
		return err == nil && entry.Revision() > before.Revision()+1 && string(entry.Value()) == string(before.Value())
	}, time.Minute, 5*time.Millisecond)
	for _, key := range []string{"run.invented", "neither"} {
		require.Eventually(t, func() bool {
			_, err := bucket.Get(t.Context(), key)
			return errors.Is(err, jetstream.ErrKeyNotFound)
		}, time.Minute, 5*time.Millisecond, key)
	}
	require.Contains(t, warned.text(), "stream=CONTROL")
}

// A flood on the checkpoints' subjects delays commits and stops none.
func TestFloodOfCheckpointsStopsNothing(t *testing.T) {
	url := startWith(t, oneAccount)
	serve(t, url, quiet())
	require.Equal(t, 1, plant(t, url, 1), "before")
	flood, end := context.WithCancel(t.Context())
	defer end()
	trickster := dial(t, url, "publisher")
	rate := proofs.Size[time.Duration](200, 600) // a second; in short form other tests share the machine
	if testing.Short() {                         // with the race detector everything takes several times as long
		rate = 150
	}
	go func() {
		every := time.NewTicker(time.Second / rate)
		defer every.Stop()
		for i := 0; flood.Err() == nil; i++ {
			<-every.C
			stage := link.Stages[i%len(link.Stages)]
			_ = trickster.PublishRequest("run.raw.trick.trick", fmt.Sprintf("ckpt.%s.%d", stage, i/3%4), []byte("{}"))
		}
	}()
	time.Sleep(time.Second) // the flood is there before
	require.Equal(t, 4, plant(t, url, 4))
	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	segments, err := js.Stream(t.Context(), "SEGMENTS")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		info, err := segments.Info(t.Context())
		return err == nil && info.State.LastSeq > 100
	}, time.Minute, 20*time.Millisecond, "the flood came")
}
