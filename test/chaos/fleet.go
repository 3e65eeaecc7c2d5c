package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sort"
	"strings"
	"syscall"
	"time"
)

// fleet consists of the child processes: one broker and two of every service.
type fleet struct {
	url       string // of the broker
	services  string // where the services find it
	directory string
	roles     []string
	processes []*exec.Cmd
	kills     map[string]int
	log       *os.File
}

func startFleet(directory string, p plan) (*fleet, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	log, err := os.CreateTemp("", "scaffoldwatch-chaos-*.log")
	if err != nil {
		return nil, fmt.Errorf("make the children's log: %w", err)
	}
	f := &fleet{
		url: "nats://" + address, directory: directory, kills: map[string]int{}, log: log,
		roles: []string{"broker", "ingest", "ingest", "evaluator", "evaluator", "dispatcher", "dispatcher", "reporter"},
	}
	if p.advisor {
		f.roles = append(f.roles, "advisor")
	}
	f.services = f.url
	if p.noFence {
		proxy, err := unfencedBroker(address)
		if err != nil {
			return nil, err
		}
		f.services = "nats://" + proxy
	}
	f.processes = make([]*exec.Cmd, len(f.roles))
	for i := range f.roles {
		if err := f.start(i); err != nil {
			f.stop()
			return nil, err
		}
	}
	return f, nil
}

// start runs this very binary as a child.
func (f *fleet) start(i int) error {
	url := f.services
	if f.roles[i] == "broker" {
		url = f.url
	}
	c := exec.Command(os.Args[0], "-role", f.roles[i], "-url", url, "-data", f.directory)
	c.Stdout, c.Stderr = f.log, f.log
	if err := c.Start(); err != nil {
		return fmt.Errorf("start %s: %w", f.roles[i], err)
	}
	f.processes[i] = c
	return nil
}

// kill ends a child with -9 and waits until it has ended.
func (f *fleet) kill(i int) {
	if c := f.processes[i]; c != nil {
		_ = c.Process.Kill()
		_ = c.Wait()
		f.processes[i] = nil
	}
}

// retire ends every child of a role for good.
func (f *fleet) retire(role string) {
	for i := range f.roles {
		if f.roles[i] == role {
			f.kill(i)
		}
	}
}

// killAtRandom kills and restarts children, the broker as often as any other.
func (f *fleet) killAtRandom(ctx context.Context, p plan) error {
	random := rand.New(rand.NewPCG(p.seed, 99))
	for range p.kills {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(p.every/4 + time.Duration(random.Int64N(int64(p.every)*3/2))):
		}
		i := random.IntN(len(f.roles))
		f.kill(i)
		f.kills[f.roles[i]]++
		if err := f.start(i); err != nil {
			return err
		}
	}
	return nil
}

// stop ends the services, then asks the broker to stop, so that it clears what it keeps in memory.
func (f *fleet) stop() {
	for i := len(f.processes) - 1; i > 0; i-- {
		f.kill(i)
	}
	if c := f.processes[0]; c != nil {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
	}
	_ = f.log.Close()
	_ = os.Remove(f.log.Name())
}

func (f *fleet) tally() string {
	var parts []string
	total := 0
	for role, n := range f.kills {
		parts = append(parts, fmt.Sprintf("%s %d", role, n))
		total += n
	}
	sort.Strings(parts)
	return fmt.Sprintf("%d (%s)", total, strings.Join(parts, ", "))
}
