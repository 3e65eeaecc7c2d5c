// Package agent holds the commands that connect coding agents.
package agent

import (
	"fmt"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// Hook answers an agent's hook by asking the running system.
type Hook struct {
	Agent      string        `required:"" help:"Agent that calls: ${hooked_help}" placeholder:"NAME"`
	URL        string        `name:"url" help:"URL of the running system; unix:///path for a socket." default:"http://127.0.0.1:8420" env:"SCAFFOLDWATCH_HOOK_URL"`
	Token      string        `help:"Bearer token of the running system; by default the one that \"scaffoldwatch install\" created." env:"SCAFFOLDWATCH_HOOK_TOKEN" placeholder:"TOKEN"`
	InRun      string        `name:"run" help:"Run that the session belongs to." env:"SCAFFOLDWATCH_HOOK_RUN" placeholder:"ID"`
	Timeout    time.Duration `help:"How long the agent waits for an answer." default:"${hook_timeout}"`
	FailClosed bool          `help:"Deny tools while the system does not answer, instead of letting them run."`
	Verbose    bool          `short:"v" help:"Print why the system does not answer."`
}

// Help gives examples.
func (Hook) Help() string {
	return `Passes the hook's JSON from standard input to the running system and prints the reply for the
agent, if any. "scaffoldwatch install" writes scaffoldwatch-hook into the agent's settings, a
small program that does the same in less time. If the system does not answer, the agent continues
as if there were no hook, and its user gets one message per session.

Examples:
  scaffoldwatch hook --agent codex < hook.json
  scaffoldwatch hook --agent gemini --url http://127.0.0.1:8421 --timeout 500ms --verbose
  scaffoldwatch hook --agent claude-code --fail-closed`
}

// Run answers one hook. It fails only if it was called wrongly: an agent treats a failed hook as a refusal,
// or shows it to the person each time.
func (c *Hook) Run(r *cli.Call) error {
	agent, err := agents.Hooks().Named(c.Agent)
	if err != nil {
		return err
	}
	call := hookclient.Call{
		Agent: agent, URL: c.URL, Token: c.Token, Run: c.InRun, Timeout: c.Timeout, FailClosed: c.FailClosed, Notes: hookclient.Folder(),
	}
	here := alone.Guard{Folder: call.Notes}
	call.Alone, call.Judge = here.Hook, here.Judge
	if c.Verbose {
		call.Explain = func(address string, why error) {
			fmt.Fprintf(r.Stderr, "scaffoldwatch hook: no answer from %s: %s\n", terminal.Clean(address), terminal.Clean(why.Error()))
		}
	}
	return call.Answer(r, r.Stdin, r.Stdout)
}

// UsageExit returns the exit code for a wrong call. Agents treat the usual 2 as a refusal, so a hook fails
// with a code that does not stop them.
func UsageExit(args []string) int {
	if len(args) > 0 && args[0] == "hook" {
		return cli.ExitFailed
	}
	return cli.ExitUsage
}
