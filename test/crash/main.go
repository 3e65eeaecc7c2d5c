// Command crash shows whether a stream with three replicas survives that all its servers
// are killed at once (ADR 18). With -compression s2 it does not, up to nats-server 2.15.3;
// try it again with -server when there is a newer one:
//
//	go run ./test/crash -compression s2                       # the server that this repository uses
//	go run ./test/crash -compression s2 -server ./nats-server # another one
//
// With -take-off it takes compression off after the first round, as an operator would:
// "config" changes the stream only, "restart" then also restarts the servers, one at a time.
// -replicas 1 kills a single server instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// plan is what one run does.
type plan struct {
	server      string // path of a nats-server; "": the one that is linked
	compression string
	takeOff     string
	replicas    int
	mb          int
	rounds      int
	idle        time.Duration
	expectLoss  bool
}

func main() {
	var p plan
	child := flag.String("child", "", "run a server with this configuration")
	flag.StringVar(&p.server, "server", "", "path of a nats-server; empty: the one that this repository uses")
	flag.StringVar(&p.compression, "compression", "none", "of the stream: none or s2")
	flag.StringVar(&p.takeOff, "take-off", "", "take compression off before the first kill: config or restart")
	flag.IntVar(&p.replicas, "replicas", 3, "of the stream, and servers: 1 or 3")
	flag.IntVar(&p.mb, "mb", 20, "MiB written before each kill; a block is compressed when it is full (8 MiB)")
	flag.IntVar(&p.rounds, "rounds", 3, "kills")
	flag.DurationVar(&p.idle, "idle", 5*time.Second, "nothing is written for so long before a kill")
	flag.BoolVar(&p.expectLoss, "expect-loss", false, "succeed if and only if the stream is lost")
	flag.Parse()
	if *child != "" {
		if err := serve(*child); err != nil {
			fmt.Fprintln(os.Stderr, "crash:", err)
			os.Exit(1)
		}
		return
	}
	err := run(context.Background(), p)
	switch {
	case err == nil && p.expectLoss:
		err = errors.New("the stream survived: a replicated stream can be compressed again (ADR 18)")
	case errors.Is(err, errLost) && p.expectLoss:
		fmt.Println("crash: lost, as expected")
		err = nil
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

var errLost = errors.New("acknowledged messages are lost")

// run plays one plan.
func run(ctx context.Context, p plan) error {
	s, err := startServers(p)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.create(ctx, p); err != nil {
		return err
	}
	acknowledged := 0
	for round := range p.rounds {
		n, err := s.write(ctx, p.mb<<20)
		acknowledged += n
		if err != nil {
			return err
		}
		if round == 0 && p.takeOff != "" {
			if err := s.takeOff(ctx, p); err != nil {
				return err
			}
			n, err := s.write(ctx, p.mb<<20)
			acknowledged += n
			if err != nil {
				return err
			}
		}
		time.Sleep(p.idle)
		s.killAll()
		if err := s.startAll(); err != nil {
			return err
		}
		state, whole := s.await(ctx, acknowledged)
		fmt.Printf("crash: round %d: %s\n", round+1, state)
		if !whole {
			return fmt.Errorf("%w: %d were acknowledged, %s", errLost, acknowledged, state)
		}
	}
	return nil
}

const name = "INPUT"

func (s *servers) create(ctx context.Context, p plan) error {
	return s.retry(ctx, func(ctx context.Context, js jetstream.JetStream) error {
		_, err := js.CreateOrUpdateStream(ctx, config(p, p.compression))
		return err
	})
}

func config(p plan, compression string) jetstream.StreamConfig {
	c := jetstream.StreamConfig{Name: name, Subjects: []string{"in.>"}, Replicas: p.replicas, Storage: jetstream.FileStorage, AllowAtomicPublish: true}
	if compression == "s2" {
		c.Compression = jetstream.S2Compression
	}
	return c
}

// takeOff takes compression off, and restarts the servers one at a time if asked to.
func (s *servers) takeOff(ctx context.Context, p plan) error {
	if err := s.create(ctx, plan{compression: "none", replicas: p.replicas}); err != nil {
		return err
	}
	if p.takeOff != "restart" {
		return nil
	}
	for i := range s.list {
		if err := s.restart(i); err != nil {
			return err
		}
		if err := s.retry(ctx, current); err != nil {
			return err
		}
	}
	return nil
}

// current fails unless the stream has a leader and every replica is current.
func current(ctx context.Context, js jetstream.JetStream) error {
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return err
	}
	cluster := stream.CachedInfo().Cluster
	if cluster == nil {
		return nil
	}
	if cluster.Leader == "" {
		return errors.New("the stream has no leader")
	}
	for _, replica := range cluster.Replicas {
		if !replica.Current || replica.Offline {
			return fmt.Errorf("replica %s is not current", replica.Name)
		}
	}
	return nil
}

// write publishes messages of 16 KiB until that many bytes are sent, and returns how many
// were acknowledged.
func (s *servers) write(ctx context.Context, size int) (acknowledged int, err error) {
	words := strings.Fields("the agent reads a file and writes another while the person waits for a test to pass or fail again")
	for sent := 0; sent < size; {
		var b strings.Builder
		for b.Len() < 16<<10 {
			b.WriteString(words[rand.IntN(len(words))] + strconv.Itoa(rand.IntN(99999)) + " ")
		}
		err := s.retry(ctx, func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.Publish(ctx, fmt.Sprint("in.", rand.IntN(50)), []byte(b.String()))
			return err
		})
		if err != nil {
			return acknowledged, err
		}
		acknowledged++
		sent += b.Len()
	}
	return acknowledged, nil
}

// await waits until the stream has as many messages as were acknowledged, describes it, and reports whether
// it has them.
func (s *servers) await(ctx context.Context, acknowledged int) (state string, whole bool) {
	err := s.retry(ctx, func(ctx context.Context, js jetstream.JetStream) error {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return err
		}
		info := stream.CachedInfo()
		if info.Cluster != nil && len(s.list) > 1 && info.Cluster.Leader == "" {
			return errors.New("it has no leader")
		}
		state = fmt.Sprintf("it has %d messages of %d that were acknowledged", info.State.Msgs, acknowledged)
		if info.State.Msgs < uint64(acknowledged) {
			return errors.New(state)
		}
		return nil
	})
	if err != nil {
		state = err.Error()
	}
	if n := s.count("corrupt input"); n > 0 {
		state += fmt.Sprintf("; servers logged %q %d times", "corrupt input", n)
	}
	return state, err == nil
}
