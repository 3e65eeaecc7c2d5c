package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

const nodes = 3

// cluster consists of three servers, two instances of every service and the publishers, each a process of
// its own.
type cluster struct {
	directory  string
	urls       string
	nodes      []*process
	services   []*process
	publishers []*process
	log        *os.File
	watch      bool           // whether services may report ready
	done       map[string]int // what was done to the processes
	builds     [2]string      // of the services: this one, and another or ""
	noDisk     error          // why no node has a small disk
	claimed    int            // how often services reported ready while no write was accepted
	slowest    time.Duration  // the longest time until all services noticed a lost quorum
}

func startCluster(ctx context.Context, directory string, p plan) (*cluster, error) {
	roles := []string{"ingest", "evaluator", "dispatcher", "reporter"}
	urls, err := freeURLs(2*nodes + 2*len(roles))
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(directory, "children.log"))
	if err != nil {
		return nil, fmt.Errorf("make the children's log: %w", err)
	}
	c := &cluster{directory: directory, urls: strings.Join(urls[:nodes], ","), log: log, done: map[string]int{}, builds: [2]string{os.Args[0], p.other}, watch: p.ready}
	peers, own := strings.Join(urls[nodes:2*nodes], ","), urls[2*nodes:]
	for i := range nodes {
		c.nodes = append(c.nodes, c.child("node", i, "-peers", peers))
	}
	for _, role := range roles {
		for range 2 {
			address := strings.TrimPrefix(own[len(c.services)], "nats://")
			service := c.child(role, 0, "-http", address)
			service.http = address
			c.services = append(c.services, service)
		}
	}
	for i := range publishers {
		c.publishers = append(c.publishers, c.child("publisher", i, p.arguments()...))
	}
	if c.noDisk = mountDisk(storeOf(directory, 0)); c.noDisk != nil {
		fmt.Println("chaos: no disk will be full:", c.noDisk)
	}
	if err := c.startAll(c.nodes); err != nil {
		return c, err
	}
	if err := c.ready(ctx); err != nil {
		return c, err
	}
	if p.compress {
		if err := c.compress(ctx); err != nil {
			return c, err
		}
	}
	return c, errors.Join(c.startAll(c.services), c.startAll(c.publishers))
}

func (c *cluster) child(role string, index int, more ...string) *process {
	arguments := append([]string{"-role", role, "-index", fmt.Sprint(index), "-url", c.urls, "-data", c.directory, "-cluster"}, more...)
	return &process{role: role, arguments: arguments, log: c.log}
}

func (c *cluster) startAll(list []*process) error {
	for _, p := range list {
		if err := p.start(); err != nil {
			return err
		}
	}
	return nil
}

// ready waits until the cluster has a leader that answers.
func (c *cluster) ready(ctx context.Context) error {
	for {
		err := c.answers(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (c *cluster) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: c.urls, Name: "ready"})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return err
	}
	if _, err := js.AccountInfo(ctx); err != nil {
		return fmt.Errorf("ask the cluster: %w", err)
	}
	return nil
}

// keep restarts processes that ended by themselves, as a supervisor does; a publisher that has finished is
// not restarted.
func (c *cluster) keep() error {
	for _, p := range append(append([]*process{}, c.nodes...), c.services...) {
		if p.gone() {
			if err := p.start(); err != nil {
				return err
			}
		}
	}
	for i, p := range c.publishers {
		if _, done, err := placeOf(c.directory, i).progress(); err != nil || done || !p.gone() {
			continue
		}
		if err := p.start(); err != nil {
			return err
		}
	}
	return nil
}

// publishing reports how many publishers have sent at least the given number of events, and how many have
// finished.
func (c *cluster) publishing(least int) (begun, through int) {
	for i := range c.publishers {
		sent, done, err := placeOf(c.directory, i).progress()
		if err == nil && sent >= least {
			begun++
		}
		if err == nil && done {
			through++
		}
	}
	return begun, through
}

// await waits until enough publishers have got far enough.
func (c *cluster) await(ctx context.Context, enough func() bool) error {
	for !enough() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the publishers: %w", ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
		if err := c.keep(); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) stop() {
	for _, list := range [][]*process{c.publishers, c.services, c.nodes} {
		for _, p := range list {
			p.kill()
		}
	}
	_ = c.log.Close()
	if c.noDisk == nil {
		unmountDisk(storeOf(c.directory, 0))
	}
}

// runCluster plays one plan on a cluster and returns the number of errors found.
func runCluster(ctx context.Context, p plan) (int, error) {
	directory, err := os.MkdirTemp("", "scaffoldwatch-chaos-cluster-")
	if err != nil {
		return 0, fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(directory)
	began := time.Now()
	c, err := startCluster(ctx, directory, p)
	if c != nil {
		defer c.stop()
	}
	if err != nil {
		return 0, err
	}
	if err := c.await(ctx, func() bool { begun, _ := c.publishing(saveEvery); return begun == publishers }); err != nil {
		return 0, err
	}
	if p.fill > 0 {
		if err := c.awaitFull(ctx, p.fill); err != nil {
			return 0, err
		}
	}
	if err := c.upset(ctx, p); err != nil {
		return 0, err
	}
	if err := c.through(ctx); err != nil {
		return 1, err
	}
	work := makeWork(p)
	fmt.Printf("chaos: cluster of %d, seed %d, %d sessions of %d turns and %d sick runs published in %s; %s\n",
		nodes, p.seed, p.sessions, p.turns, len(work.runs), time.Since(began).Round(time.Second), c.tally())
	if p.ready {
		if err := c.awaitReady(ctx); err != nil {
			fmt.Println("chaos: services are not ready again:", err)
			c.claimed++
		}
	}
	if c.slowest > 0 {
		fmt.Printf("chaos: services noticed a lost quorum within %s\n", c.slowest.Round(100*time.Millisecond))
	}
	wrong, err := compare(ctx, c.urls, work, p)
	wrong += c.claimed
	fmt.Printf("chaos: compared %s after the start\n", time.Since(began).Round(time.Second))
	return wrong, err
}

// makeWork returns what a plan publishes; every process derives the same from the same seed.
func makeWork(p plan) work {
	mix := workload.Mix(p.seed, p.sessions, p.turns)
	mix.MedianBytes, mix.P90Bytes = 1500, 6000
	mix.Secret, mix.Reread, mix.Creep = 0.15, 0.4, 0.25
	lone, runs := sick(p)
	return work{sessions: append(workload.Make(mix).Sessions, lone...), runs: runs, fill: fill(p.seed, p.fill)}
}

// patience is how long all publishers of an undisturbed cluster may send nothing.
const patience = 2 * time.Minute

// through waits until every publisher has finished, as long as any makes progress.
func (c *cluster) through(ctx context.Context) error {
	last, since := -1, time.Now()
	stuck := false
	err := c.await(ctx, func() bool {
		sent, through := 0, 0
		for i := range c.publishers {
			n, done, err := placeOf(c.directory, i).progress()
			if err == nil && done {
				through++
			}
			sent += n
		}
		if sent != last {
			last, since = sent, time.Now()
		}
		stuck = time.Since(since) > patience
		return stuck || through == publishers
	})
	if err == nil && stuck {
		leaders := c.leaders(ctx)
		if strings.Contains(leaders, noLeader) {
			return fmt.Errorf("%w: the publishers could send nothing for %s: streams have %s", errLeaderless, patience, leaders)
		}
		return fmt.Errorf("the publishers could send nothing for %s: streams have %s", patience, leaders)
	}
	return err
}

const noLeader = ": no leader"

// errLeaderless is the error of a stream that cannot be recovered (ADR 18).
var errLeaderless = errors.New("a stream is lost")

// leaders returns the leader of each stream.
func (c *cluster) leaders(ctx context.Context) string {
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: c.urls, Name: "leaders"})
	if err != nil {
		return err.Error()
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, want := range link.Topology(settings(c.urls)).Streams() {
		stream, err := js.Stream(ctx, want.Name)
		switch {
		case err != nil:
			parts = append(parts, want.Name+": "+err.Error())
		case stream.CachedInfo().Cluster == nil || stream.CachedInfo().Cluster.Leader == "":
			parts = append(parts, want.Name+noLeader)
		default:
			parts = append(parts, want.Name+": leader "+stream.CachedInfo().Cluster.Leader)
		}
	}
	return strings.Join(parts, ", ")
}

// compress turns on compression for the streams of text, as before ADR 18, so that a run shows that it
// notices.
func (c *cluster) compress(ctx context.Context) error {
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: c.urls, Name: "compress"})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return err
	}
	for _, stream := range link.Topology(settings(c.urls)).Streams() {
		stream.Compression = jetstream.S2Compression
		if _, err := js.CreateStream(ctx, stream); err != nil {
			return fmt.Errorf("make %s compressed: %w", stream.Name, err)
		}
	}
	return nil
}
