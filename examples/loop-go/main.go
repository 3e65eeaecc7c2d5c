// Command loop-go runs an agent's command again and again until a file says that
// the work is done (a Ralph-style loop), and obeys scaffoldwatch: it stops the
// agent when the run is halted, waits while it is paused, and finishes the
// iteration when it drains.
//
//	loop-go -run nightly sh -c 'claude -p "$(cat PROMPT.md)"'
//
// Exit codes: 0 done, 3 halted, 1 failed or given up, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// errHalted ends the loop: a person must let the run go on.
var errHalted = errors.New("halted")

// loop is one run of an agent's command, over and over.
type loop struct {
	run     *client.Run
	command []string
	done    string        // the file that says so
	most    int           // iterations
	timeout time.Duration // of one iteration
	wait    bool          // for a person to resume the run, instead of ending
}

func main() {
	var l loop
	id := flag.String("run", "", "id of the run")
	url := flag.String("server", "nats://127.0.0.1:4222", "URL of NATS")
	flag.StringVar(&l.done, "done", "DONE", "file that says the work is done")
	flag.IntVar(&l.most, "max", 50, "iterations at most")
	flag.DurationVar(&l.timeout, "timeout", 30*time.Minute, "time of one iteration")
	flag.BoolVar(&l.wait, "wait", false, "when halted, wait for `scaffoldwatch resume` instead of ending")
	flag.Parse()
	l.command = flag.Args()
	if *id == "" || len(l.command) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := l.connect(ctx, *url, *id)
	switch {
	case errors.Is(err, errHalted):
		log.Printf("%v; to go on: scaffoldwatch resume %s --why '…'", err, *id)
		os.Exit(3)
	case err != nil:
		log.Println(err)
		os.Exit(1)
	}
}

// connect opens the run on a connection of its own and loops.
func (l *loop) connect(ctx context.Context, url, id string) error {
	conn, err := nats.Connect(url, nats.MaxReconnects(-1))
	if err != nil {
		return fmt.Errorf("connect to %s: %w", url, err)
	}
	defer conn.Close()
	if l.run, err = client.OpenRun(conn, id, client.RunOptions{Source: "/examples/loop-go"}); err != nil {
		return err
	}
	defer func() { _ = l.run.Close() }() // nothing of it waits to be sent
	return l.loop(ctx)
}

func (l *loop) loop(ctx context.Context) error {
	if err := l.tell(ctx, events.RunStarted{Kind: "build", Goal: fmt.Sprint("loop: ", l.command)}); err != nil {
		return err
	}
	for i := 1; i <= l.most; i++ {
		task := fmt.Sprintf("iteration-%d", i)
		began := time.Now()
		outcome := l.iterate(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := l.tell(ctx, events.AgentCompleted{AgentID: "loop-agent", Task: task, Outcome: outcome, DurationMS: time.Since(began).Milliseconds()}); err != nil {
			return err
		}
		// The boundary of a task: a run that drains is halted here.
		if err := l.tell(ctx, events.TaskCompleted{Task: task, Outcome: outcome}); err != nil {
			return err
		}
		if _, err := os.Stat(l.done); err == nil {
			return l.tell(ctx, events.RunCompleted{Outcome: "success", Summary: task})
		}
	}
	return errors.Join(fmt.Errorf("gave up after %d iterations", l.most), l.tell(ctx, events.RunCompleted{Outcome: "failure"}))
}

// iterate runs the agent once; a halt in between stops its process.
func (l *loop) iterate(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	working, stop := l.run.UntilHalted(ctx)
	defer stop()
	agent := exec.CommandContext(working, l.command[0], l.command[1:]...)
	agent.Stdin, agent.Stdout, agent.Stderr = os.Stdin, os.Stdout, os.Stderr
	agent.WaitDelay = 10 * time.Second
	err := agent.Run()
	switch {
	case err == nil:
		return events.RunOutcomeSuccess
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return events.RunOutcomeTimeout
	}
	var halted *client.HaltedError
	if errors.As(context.Cause(working), &halted) {
		log.Println(halted)
	}
	return events.RunOutcomeFailure
}

// tell says what happened and obeys what is decided about it. No answer is no
// permission: the loop ends.
func (l *loop) tell(ctx context.Context, data any) error {
	v, err := l.run.Do(ctx, data)
	if err != nil {
		return err
	}
	for _, c := range v.Corrections() {
		log.Println(c.Text) // put it into the agent's next prompt
	}
	if !v.MustStop() {
		return nil // running, or draining: the current iteration may end
	}
	for _, b := range v.Breaks() {
		log.Printf("%s: %s (work in progress: %s)", b.Trigger, b.Reason, b.WIPAction)
	}
	if !l.wait && v.State != events.ControlPaused {
		return fmt.Errorf("run %s is %w", l.run.ID(), errHalted)
	}
	log.Printf("run %s is %s, waiting", l.run.ID(), v.State)
	return l.run.AwaitRunning(ctx)
}
