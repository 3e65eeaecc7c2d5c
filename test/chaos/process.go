package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// terminateTimeout is how long a process that was asked to end may take.
const terminateTimeout = 15 * time.Second

// process is a child that is started again wherever it ends.
type process struct {
	role      string
	binary    string // "": this one
	arguments []string
	http      string // where a service answers /readyz
	log       *os.File

	mu      sync.Mutex
	command *exec.Cmd
	ended   chan struct{}
	killed  bool
	exits   int // ends that nobody asked for
}

func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	binary := p.binary
	if binary == "" {
		binary = os.Args[0]
	}
	c := exec.Command(binary, p.arguments...)
	c.Stdout, c.Stderr = p.log, p.log
	if err := c.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.role, err)
	}
	p.command, p.ended, p.killed = c, make(chan struct{}), false
	go p.wait(c, p.ended)
	return nil
}

func (p *process) wait(c *exec.Cmd, ended chan struct{}) {
	err := c.Wait()
	p.mu.Lock()
	if err != nil && !p.killed {
		p.exits++
	}
	p.mu.Unlock()
	close(ended)
}

// kill ends the process with -9 and waits until it is gone.
func (p *process) kill() {
	p.mu.Lock()
	c, ended := p.command, p.ended
	p.killed = true
	p.mu.Unlock()
	if c == nil {
		return
	}
	_ = c.Process.Kill()
	<-ended
}

// terminate asks the process to end, as an operator does, and waits until it is gone.
func (p *process) terminate() {
	p.mu.Lock()
	c, ended := p.command, p.ended
	p.killed = true
	p.mu.Unlock()
	if c == nil {
		return
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(terminateTimeout):
		_ = c.Process.Kill()
		<-ended
	}
}

// gone reports a process that ended by itself.
func (p *process) gone() bool {
	p.mu.Lock()
	ended, killed := p.ended, p.killed
	p.mu.Unlock()
	select {
	case <-ended:
		return !killed
	default:
		return false
	}
}

// unasked returns how often the process ended by itself.
func (p *process) unasked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exits
}
