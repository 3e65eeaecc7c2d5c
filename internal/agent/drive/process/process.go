// Package process runs an agent that exchanges JSON lines over its standard streams.
package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

const (
	maxLine       = 64 << 20        // in bytes; longer lines are skipped
	writePatience = 5 * time.Second // for an agent that does not read its input
)

// ErrEnded means that the process accepts no more input.
var ErrEnded = errors.New("the agent has ended")

// Command describes what to start.
type Command struct {
	Args []string
	Dir  string // "" means the current directory
	// Env is the environment; nil means that of this process.
	Env []string
	// Stderr receives what the agent prints there, unchanged; nil drops it.
	Stderr io.Writer
	// Problem, if set, is called for lines that could not be read.
	Problem func(string)
}

// Process is a running agent. Write, CloseInput and Stop are safe for concurrent use.
type Process struct {
	name  string
	cmd   *exec.Cmd
	lines *record.Lines
	out   *os.File

	mu    sync.Mutex // guards input
	input *os.File   // nil when closed
	ended chan struct{}
	sweep sync.Once // later the group's number may be reused
	err   error     // error of the process, once ended is closed
}

// Start starts the agent in a process group of its own, so that Stop reaches the agent's children.
func Start(c Command) (*Process, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("no command to run")
	}
	p := &Process{name: c.Args[0], cmd: exec.Command(c.Args[0], c.Args[1:]...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = c.Dir, c.Env, c.Stderr
	p.cmd.WaitDelay = time.Second // a grandchild may hold stderr open
	ownGroup(p.cmd)
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	report := func(_ int, _ int64, reason string) {
		if c.Problem != nil {
			c.Problem(reason)
		}
	}
	p.lines = record.NewLines(bufio.NewReaderSize(p.out, 64<<10), maxLine, report)
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// start creates the pipes manually, so that writes can have a deadline.
func (p *Process) start() error {
	stdin, input, err := os.Pipe()
	if err != nil {
		return err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return errors.Join(err, stdin.Close(), input.Close())
	}
	p.cmd.Stdin, p.cmd.Stdout = stdin, stdout
	err = p.cmd.Start()
	closed := errors.Join(stdin.Close(), stdout.Close())
	if err != nil {
		return errors.Join(err, input.Close(), out.Close())
	}
	p.input, p.out = input, out
	return closed
}

// Next returns the next line that the agent wrote, io.EOF when it has closed its output. The bytes are
// valid until the next call.
func (p *Process) Next() ([]byte, error) {
	r, err := p.lines.Next()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("read from %s: %w", p.name, err)
		}
		return nil, err
	}
	return r.Data, nil
}

// Write sends v as one JSON line. The error wraps ErrEnded if the agent accepts no more input. If the agent
// does not read, Write fails after five seconds, and all further writes fail too, because half a line may
// be in the pipe.
func (p *Process) Write(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode for %s: %w", p.name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.input == nil {
		return ErrEnded
	}
	// If pipes do not support deadlines, a write may wait for the agent.
	_ = p.input.SetWriteDeadline(time.Now().Add(writePatience))
	if _, err := p.input.Write(append(data, '\n')); err != nil {
		p.closeInput()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("%s does not read its input: %w", p.name, err)
		}
		return fmt.Errorf("%w: %w", ErrEnded, err)
	}
	return nil
}

// CloseInput closes the agent's input.
func (p *Process) CloseInput() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeInput()
}

func (p *Process) closeInput() {
	if p.input != nil {
		_ = p.input.Close() // it may have exited already
		p.input = nil
	}
}

// Stop ends the agent, even a suspended one: it closes the input; after grace it asks the agent to exit,
// and after another grace it kills the agent with all its children.
func (p *Process) Stop(grace time.Duration) {
	p.CloseInput()
	p.Resume() // a suspended process cannot exit
	for _, signal := range []func(*exec.Cmd){interruptGroup, killGroup} {
		select {
		case <-p.ended:
			p.sweep.Do(func() { killGroup(p.cmd) }) // its remaining children
			return
		case <-time.After(grace):
			signal(p.cmd)
		}
	}
	<-p.ended
}

// StopWith stops the agent when ctx ends; calling release cancels that.
func (p *Process) StopWith(ctx context.Context, grace time.Duration) (release func() bool) {
	return context.AfterFunc(ctx, func() { p.Stop(grace) })
}

// Wait waits for the exit and returns how the agent failed, nil if it did not.
func (p *Process) Wait() error {
	<-p.ended
	_ = p.out.Close()
	var exit *exec.ExitError
	if errors.As(p.err, &exit) {
		return fmt.Errorf("%s ended with %s", p.name, strings.TrimSpace(exit.ProcessState.String()))
	}
	if p.err != nil && !errors.Is(p.err, exec.ErrWaitDelay) {
		return fmt.Errorf("wait for %s: %w", p.name, p.err)
	}
	return nil
}
