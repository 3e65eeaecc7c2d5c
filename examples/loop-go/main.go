// Command loop-go runs an agent's command again and again until a file says that
// the work is done (a Ralph-style loop), and obeys scaffoldwatch: it stops the
// agent when the run is halted, waits while it is paused, and finishes the
// iteration when it drains.
//
//	loop-go -run nightly sh -c 'exec claude -p "$(cat PROMPT.md)"'
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
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

var (
	id      = flag.String("run", "", "id of the run")
	url     = flag.String("server", nats.DefaultURL, "URL of NATS")
	key     = flag.String("key", "", "file of the key to log in with; the default is the one that `scaffoldwatch up` made for programs")
	done    = flag.String("done", "DONE", "file that says the work is done")
	most    = flag.Int("max", 50, "iterations at most")
	timeout = flag.Duration("timeout", 30*time.Minute, "time of one iteration")
	wait    = flag.Bool("wait", false, "when halted, wait for `scaffoldwatch resume` instead of ending")
)

// errHalted ends the loop: a person must let the run go on.
var errHalted = errors.New("halted")

func main() {
	flag.Parse()
	if *id == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	switch err := loop(); {
	case errors.Is(err, errHalted):
		log.Printf("%v; to go on: scaffoldwatch resume %s --why '…'", err, *id)
		os.Exit(3)
	case err != nil:
		log.Fatal(err)
	}
}

// login returns how to log in; a system without users needs nothing.
func login() ([]nats.Option, error) {
	path := *key
	if path == "" {
		home, err := os.UserConfigDir()
		if err != nil {
			return nil, nil
		}
		path = filepath.Join(home, "scaffoldwatch", "credentials", "publisher.nk")
		if _, err := os.Stat(path); err != nil {
			return nil, nil
		}
	}
	option, err := nats.NkeyOptionFromSeed(path)
	if err != nil {
		return nil, fmt.Errorf("read the key %s: %w", path, err)
	}
	return []nats.Option{option}, nil
}

// loop opens the run and works until it is done.
func loop() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	options, err := login()
	if err != nil {
		return err
	}
	conn, err := nats.Connect(*url, append(options, nats.MaxReconnects(-1))...)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", *url, err)
	}
	defer conn.Close()
	run, err := client.OpenRun(conn, *id, client.RunOptions{Source: "/examples/loop-go"})
	if err != nil {
		return err
	}
	defer func() { _ = run.Close() }() // nothing of it waits to be sent

	if err := tell(ctx, run, runevents.RunStarted{Kind: "build", Goal: fmt.Sprint("loop: ", flag.Args())}); err != nil {
		return err
	}
	for i := 1; i <= *most; i++ {
		task := fmt.Sprintf("iteration-%d", i)
		outcome := iterate(ctx, run)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := tell(ctx, run, runevents.AgentCompleted{AgentID: "loop-agent", Task: task, Outcome: outcome}); err != nil {
			return err
		}
		// The boundary of a task: a run that drains is halted here.
		if err := tell(ctx, run, runevents.TaskCompleted{Task: task, Outcome: outcome}); err != nil {
			return err
		}
		if _, err := os.Stat(*done); err == nil {
			return tell(ctx, run, runevents.RunCompleted{Outcome: "success", Summary: task})
		}
	}
	return errors.Join(fmt.Errorf("gave up after %d iterations", *most), tell(ctx, run, runevents.RunCompleted{Outcome: "failure"}))
}

// iterate runs the agent once; a halt in between stops its process.
func iterate(ctx context.Context, run *client.Run) string {
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	working, stop := run.UntilHalted(ctx)
	defer stop()
	agent := exec.CommandContext(working, flag.Arg(0), flag.Args()[1:]...)
	agent.Stdin, agent.Stdout, agent.Stderr = os.Stdin, os.Stdout, os.Stderr
	agent.WaitDelay = 10 * time.Second
	switch err := agent.Run(); {
	case err == nil:
		return runevents.RunOutcomeSuccess
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return runevents.RunOutcomeTimeout
	}
	return runevents.RunOutcomeFailure
}

// tell publishes what happened and obeys the verdict. It treats a missing answer
// as a stop: the loop ends.
func tell(ctx context.Context, run *client.Run, data any) error {
	v, err := run.Do(ctx, data)
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
	if !*wait && v.State != runevents.ControlPaused {
		return fmt.Errorf("run %s is %w", *id, errHalted)
	}
	log.Printf("run %s is %s, waiting", *id, v.State)
	return run.AwaitRunning(ctx)
}
