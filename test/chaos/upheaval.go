package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// upheaval is one thing that happens to a cluster.
type upheaval struct {
	share int // of a hundred
	name  string
	do    func(*cluster, *rand.Rand) (what string, err error)
}

// upheavals are what goes wrong in data centres, the common more often.
var upheavals = []upheaval{
	{35, "service killed", killService},
	{20, "node killed", killNode},
	{20, "pause", pauseOne},
	{10, "quorum lost", loseQuorum},
	{15, "publisher killed", killPublisher},
}

// upset does one thing after the other, at random.
func (c *cluster) upset(ctx context.Context, p plan) error {
	random := rand.New(rand.NewPCG(p.seed, 99))
	for range p.kills {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(p.every/4 + time.Duration(random.Int64N(int64(p.every)*3/2))):
		}
		if err := c.keep(); err != nil {
			return err
		}
		one := choose(random)
		what, err := one.do(c, random)
		if err != nil {
			return err
		}
		c.done[one.name]++
		c.done[one.name+": "+what]++
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
	but := random.IntN(len(c.nodes))
	two := slices.Delete(slices.Clone(c.nodes), but, but+1)
	gone := time.Second + time.Duration(random.IntN(2000))*time.Millisecond
	if random.IntN(2) == 0 {
		pause(two, gone)
		return "two paused", nil
	}
	for _, p := range two {
		p.kill()
	}
	time.Sleep(gone)
	return "two killed", c.startAll(two)
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

// tally says what was done, and what ended by itself.
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
