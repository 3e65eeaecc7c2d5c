package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// process is a child that is started again wherever it ends.
type process struct {
	role      string
	arguments []string
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
	c := exec.Command(os.Args[0], p.arguments...)
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

// unasked is how often the process ended by itself.
func (p *process) unasked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exits
}
