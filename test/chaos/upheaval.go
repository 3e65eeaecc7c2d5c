package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// upheaval is one thing that happens to a cluster.
type upheaval struct {
	share int // of a hundred
	name  string
	do    func(*cluster, *rand.Rand) (what string, err error)
}

// upheavals are faults as they occur in data centres, common ones more often.
var upheavals = []upheaval{
	{22, "service killed", killService},
	{14, "node killed", killNode},
	{14, "pause", pauseOne},
	{7, "quorum lost", loseQuorum},
	{2, "quorum lost for long", loseQuorumLong},
	{9, "all nodes killed", killAllNodes},
	{6, "all killed without a quorum", killWithoutQuorum},
	{4, "all killed after idleness", killIdle},
	{6, "disk full", fillNode},
	{6, "service replaced", replaceService},
	{10, "publisher killed", killPublisher},
}

// idle is how long nothing is sent before an idle cluster is killed.
const idle = 5 * time.Second

// upset does one thing after the other: each kind once, then at random.
func (c *cluster) upset(ctx context.Context, p plan) error {
	random := rand.New(rand.NewPCG(p.seed, 99))
	first := random.Perm(len(upheavals))
	for i := range p.kills {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(p.every/4 + time.Duration(random.Int64N(int64(p.every)*3/2))):
		}
		if err := c.keep(); err != nil {
			return err
		}
		one := choose(random)
		if i < len(first) {
			one = upheavals[first[i]]
		}
		what, err := one.do(c, random)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		c.done[one.name]++
		c.done[one.name+": "+what]++
		if p.verbose {
			fmt.Fprintf(os.Stderr, "chaos: %d of %d: %s (%s)\n", i+1, p.kills, one.name, what)
		}
	}
	return nil
}

func choose(random *rand.Rand) upheaval {
	n := random.IntN(100)
	for _, one := range upheavals {
		if n < one.share {
			return one
		}
		n -= one.share
	}
	return upheavals[0]
}

func killService(c *cluster, random *rand.Rand) (string, error) {
	p := c.services[random.IntN(len(c.services))]
	p.kill()
	return p.role, p.start()
}

// replaceService restarts a service as an upgrade does, one instance at a time: with the
// other of two builds, so that both run side by side.
func replaceService(c *cluster, random *rand.Rand) (string, error) {
	p := c.services[random.IntN(len(c.services))]
	p.terminate()
	build := "same build"
	if c.builds[1] != "" {
		build = "other build"
		if p.binary == c.builds[1] {
			p.binary = c.builds[0]
		} else {
			p.binary = c.builds[1]
		}
	}
	return p.role + ", " + build, p.start()
}

// killNode ends one server; it comes back at once or after a moment in which the
// others choose a leader.
func killNode(c *cluster, random *rand.Rand) (string, error) {
	p := c.nodes[random.IntN(len(c.nodes))]
	p.kill()
	time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
	return "kill -9", p.start()
}

func pauseOne(c *cluster, random *rand.Rand) (string, error) {
	all := append(slices.Clone(c.nodes), c.services...)
	p := all[random.IntN(len(all))]
	pause([]*process{p}, 300*time.Millisecond+time.Duration(random.IntN(2700))*time.Millisecond)
	return p.role, nil
}

// loseQuorum takes two of three servers away for a while: nothing can be written.
func loseQuorum(c *cluster, random *rand.Rand) (string, error) {
	two := c.two(random)
	gone := time.Second + time.Duration(random.IntN(2000))*time.Millisecond
	if random.IntN(2) == 0 {
		pause(two, gone)
		return "two paused", nil
	}
	killAll(two)
	time.Sleep(gone)
	return "two killed", c.startAll(two)
}

func (c *cluster) two(random *rand.Rand) []*process {
	but := random.IntN(len(c.nodes))
	return slices.Delete(slices.Clone(c.nodes), but, but+1)
}

// killAllNodes ends every server in the same moment, as a power cut does to processes.
func killAllNodes(c *cluster, random *rand.Rand) (string, error) {
	killAll(c.nodes)
	time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
	return "kill -9", c.startAll(c.nodes)
}

// killWithoutQuorum ends every server while two of them cannot be reached.
func killWithoutQuorum(c *cluster, random *rand.Rand) (string, error) {
	two := c.two(random)
	pauseWhile(two, func() {
		time.Sleep(time.Second + time.Duration(random.IntN(2000))*time.Millisecond)
		killAll(c.nodes)
	})
	return "two paused, then kill -9", c.startAll(c.nodes)
}

// killIdle ends every server after nothing was sent for a while.
func killIdle(c *cluster, _ *rand.Rand) (string, error) {
	pauseWhile(c.publishers, func() {
		time.Sleep(idle)
		killAll(c.nodes)
	})
	return "kill -9", c.startAll(c.nodes)
}

// killAll ends processes at once and waits until they are gone.
func killAll(list []*process) {
	var gone sync.WaitGroup
	for _, p := range list {
		gone.Go(p.kill)
	}
	gone.Wait()
}

// fillNode leaves one server no room on its disk for a while, and restarts it: a server
// keeps a stream closed after a write that failed.
func fillNode(c *cluster, random *rand.Rand) (string, error) {
	if c.noDisk != nil {
		return "not possible here", nil
	}
	p := c.nodes[0] // whose disk is small
	if err := fillDisk(storeOf(c.directory, 0), time.Second+time.Duration(random.IntN(3000))*time.Millisecond); err != nil {
		return "", err
	}
	p.kill()
	return "one node's", p.start()
}

// killPublisher ends a publisher that is not through; its successor sends the last
// few events again.
func killPublisher(c *cluster, random *rand.Rand) (string, error) {
	i := random.IntN(len(c.publishers))
	if _, done, err := placeOf(c.directory, i).progress(); err != nil || done {
		return "it was through", err
	}
	c.publishers[i].kill()
	return "kill -9", c.publishers[i].start()
}

// tally returns what was done, and what ended by itself.
func (c *cluster) tally() string {
	var parts []string
	total := 0
	for _, one := range upheavals {
		total += c.done[one.name]
		var kinds []string
		for name, n := range c.done {
			if kind, is := strings.CutPrefix(name, one.name+": "); is {
				kinds = append(kinds, fmt.Sprintf("%s %d", kind, n))
			}
		}
		slices.Sort(kinds)
		parts = append(parts, fmt.Sprintf("%s %d (%s)", one.name, c.done[one.name], strings.Join(kinds, ", ")))
	}
	exits := 0
	for _, p := range append(append(slices.Clone(c.nodes), c.services...), c.publishers...) {
		exits += p.unasked()
	}
	return fmt.Sprintf("%d upheavals: %s; %d processes ended by themselves", total, strings.Join(parts, "; "), exits)
}
