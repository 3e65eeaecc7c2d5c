// Command scaffoldwatch-hook is the process that a coding agent starts for each hook: `scaffoldwatch hook`
// as a program small enough to start within a few milliseconds, because the agent waits for it at each
// step.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/copilot"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cursor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/gemini"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/opencode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
)

// exitFailed is the exit code of a wrong call: agents treat the usual 2 as a refusal.
const exitFailed = 1

// enough is how much memory one call may use before the collector runs at all: the process usually exits
// first.
const enough = 256 << 20

func main() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(enough)
	if err := execute(os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "scaffoldwatch-hook:", err)
		os.Exit(exitFailed)
	}
}

// dialects are those of every agent with hooks, named here one by one: importing all of internal/agent/all
// would make the program start slower.
var dialects = hook.Dialects{
	&claudecode.Hooks, &codex.Hooks, &copilot.Hooks, &gemini.Hooks, &opencode.Hooks, &cursor.Hooks,
}

// execute answers one hook.
func execute(args []string, environment func(string) string, in io.Reader, out, errOut io.Writer) error {
	call := hookclient.Call{Notes: hookclient.Folder()}
	here := alone.Guard{Folder: call.Notes}
	call.Alone, call.Judge = here.Hook, here.Judge
	flags := flag.NewFlagSet("scaffoldwatch-hook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	agent := flags.String("agent", "", "agent that calls")
	flags.StringVar(&call.URL, "url", cmp.Or(environment(hookclient.VariableURL), install.DefaultURL), "URL of the running system; unix:///path for a socket")
	flags.StringVar(&call.Token, "token", environment(hookclient.VariableToken), "bearer token; by default the agent's own")
	flags.StringVar(&call.Run, "run", environment(hookclient.VariableRun), "run that the session belongs to")
	flags.DurationVar(&call.Timeout, "timeout", hookclient.DefaultTimeout, "how long the agent waits for an answer")
	flags.BoolVar(&call.FailClosed, "fail-closed", false, "deny tools while the system does not answer")
	version := flags.Bool("version", false, "print the version")
	verbose := flags.Bool("v", false, "print why the system does not answer")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		flags.PrintDefaults()
		return nil
	case err != nil:
		return err
	case *version:
		_, err := fmt.Fprintln(out, "scaffoldwatch-hook", buildinfo.Version())
		return err
	}
	if *verbose {
		call.Explain = func(address string, why error) { fmt.Fprintf(errOut, "no answer from %s: %q\n", address, why) }
	}
	var err error
	if call.Agent, err = dialects.Named(*agent); err != nil {
		return err
	}
	return call.Answer(context.Background(), in, out)
}
