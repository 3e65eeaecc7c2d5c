// Command scaffoldwatch watches coding agents: it runs the services, reads
// transcripts, and shows what was found.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// Exit codes of every command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitFailOn = 3
)

// errFailOn says that a --fail-on condition held.
var errFailOn = errors.New("a --fail-on condition held")

// usageError is a mistake in the call itself.
type usageError struct{ error }

// commands are the subcommands, grouped as the help shows them.
type commands struct {
	shared

	Scan     scanCommand     `cmd:"" group:"look" help:"Read transcripts offline and report findings."`
	Watch    watchCommand    `cmd:"" group:"look" help:"Show decisions as they are made."`
	Report   reportCommand   `cmd:"" group:"look" help:"Print the report of a session, a run or all sessions."`
	Sessions sessionsCommand `cmd:"" group:"look" help:"List the sessions of a running system."`
	Runs     runsCommand     `cmd:"" group:"look" help:"List the runs, or show one."`
	Control  controlCommand  `cmd:"" group:"look" help:"Print whether a run or session may continue."`
	Mutes    mutesCommand    `cmd:"" group:"look" help:"List mutes."`

	Install   installCommand   `cmd:"" group:"connect" help:"Add hooks to a coding agent's settings."`
	Uninstall uninstallCommand `cmd:"" group:"connect" help:"Remove hooks from a coding agent's settings."`
	Hook      hookCommand      `cmd:"" group:"connect" help:"Run as an agent's hook. Agents call this; you don't."`
	Drive     driveCommand     `cmd:"" group:"connect" help:"Run or join an agent, with interrupts and halts."`
	Publish   publishCommand   `cmd:"" group:"connect" help:"Send transcripts to a running system."`
	Index     indexCommand     `cmd:"" group:"connect" help:"Index the files, symbols and conventions of a codebase."`
	RunEvent  runEventCommand  `cmd:"" group:"connect" name:"run-event" help:"Report what happens in a run, and get the decision."`
	Gate      gateCommand      `cmd:"" group:"connect" help:"Ask a gate whether an action is allowed."`
	GitHook   gitHookCommand   `cmd:"" group:"connect" name:"git-hook" help:"Guard a Git repository and report its commits."`

	Ack     ackCommand     `cmd:"" group:"answer" help:"Acknowledge an interrupt or escalation."`
	Dismiss dismissCommand `cmd:"" group:"answer" help:"Mark an interrupt as a false positive."`
	Mute    muteCommand    `cmd:"" group:"answer" help:"Mute a detector, a subject or a session."`
	Unmute  unmuteCommand  `cmd:"" group:"answer" help:"End a mute."`
	Answer  answerCommand  `cmd:"" group:"answer" help:"Answer a question of a run."`
	Approve approveCommand `cmd:"" group:"answer" help:"Approve the plan of a run."`
	Recover recoverCommand `cmd:"" group:"answer" help:"Choose how to recover a denied merge."`
	Descope descopeCommand `cmd:"" group:"answer" help:"Remove an agent from its wave."`
	Resume  resumeCommand  `cmd:"" group:"answer" help:"Resume a halted run or session."`

	Up      upCommand      `cmd:"" group:"operate" help:"Run NATS and all services in one process."`
	Streams streamsCommand `cmd:"" group:"operate" help:"Create and check the streams."`
	Dead    deadCommand    `cmd:"" group:"operate" help:"Inspect and retry dead letters."`
	Notify  notifyCommand  `cmd:"" group:"operate" help:"Test notification channels and show the outbox."`
	Hours   hoursCommand   `cmd:"" group:"operate" help:"Print whether it is working time."`

	Doctor doctorCommand `cmd:"" group:"audit" help:"Check an installation."`
	Rules  rulesCommand  `cmd:"" group:"audit" help:"List, explain and test rules."`

	Completion kongcompletion.Completion `cmd:"" group:"operate" help:"Print shell completion code."`
	Version    versionCommand            `cmd:"" group:"operate" help:"Print the version."`
}

// shared are the flags of every command.
type shared struct {
	Config string `help:"Configuration file (YAML)." type:"path" env:"SCAFFOLDWATCH_CONFIG" placeholder:"FILE"`
}

// groups are the headings of the help, in its order.
var groups = []kong.Group{
	{Key: "look", Title: "Look"},
	{Key: "connect", Title: "Connect"},
	{Key: "answer", Title: "Answer"},
	{Key: "operate", Title: "Operate"},
	{Key: "audit", Title: "Audit"},
}

// run is what commands share: the context, the outputs and the theme.
type run struct {
	context.Context
	in     io.Reader
	out    io.Writer
	err    io.Writer
	theme  terminal.Theme
	config string
}

func main() {
	// A closed pipe is an error of write like any other (exitCode), not the end
	// of the process in the middle of something.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// execute runs one command line and returns its exit code.
func execute(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if slices.Equal(args, []string{"version"}) {
		return exitCode(ctx, versionCommand{}.Run(&run{out: out}), errOut) // without the parser of all commands
	}
	var cli commands
	exit := -1
	parse := newParser
	if len(args) > 0 && args[0] == "hook" {
		parse = newHookParser
	}
	parser, err := parse(&cli, kong.Writers(out, errOut), kong.Exit(func(code int) { exit = code }))
	if err != nil {
		fmt.Fprintln(errOut, "scaffoldwatch:", err)
		return exitFailed
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	call, err := parser.Parse(args)
	if exit >= 0 { // --help was printed
		return exit
	}
	if err != nil {
		var write *fs.PathError
		if errors.As(err, &write) { // help that could not be written is no wrong call
			fmt.Fprintln(errOut, "scaffoldwatch:", err)
			return exitFailed
		}
		fmt.Fprintf(errOut, "scaffoldwatch: %v\nscaffoldwatch: see %s --help\n", err, atFault(err))
		return usageExit(args)
	}
	err = call.Run(&run{Context: ctx, in: in, out: out, err: errOut, theme: terminal.New(out, os.Getenv), config: cli.Config})
	return exitCode(ctx, err, errOut)
}

// atFault is the command, as it is written, whose help a mistaken call needs.
func atFault(err error) string {
	var mistake *kong.ParseError
	if errors.As(err, &mistake) && mistake.Context != nil {
		if command := mistake.Context.Selected(); command != nil {
			return command.FullPath()
		}
	}
	return "scaffoldwatch"
}

// newHookParser makes a parser that knows only the hook, which agents wait for:
// the parser of all commands costs 5 ms.
func newHookParser(cli *commands, options ...kong.Option) (*kong.Kong, error) {
	hook := struct {
		*shared
		Hook *hookCommand `cmd:"" group:"connect" help:"Run as an agent's hook. Agents call this; you don't."`
	}{&cli.shared, &cli.Hook}
	return parserOf(&hook, options...)
}

// newParser makes the parser of the command line.
func newParser(cli *commands, options ...kong.Option) (*kong.Kong, error) {
	return parserOf(cli, options...)
}

func parserOf(grammar any, options ...kong.Option) (*kong.Kong, error) {
	parser, err := kong.New(grammar, append([]kong.Option{
		kong.Name("scaffoldwatch"),
		kong.Description("Watches fleets of coding agents and stops waste and damage before it compounds."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.ExplicitGroups(groups),
		agentNames(),
	}, options...)...)
	if err != nil {
		return nil, err
	}
	kongcompletion.Register(parser)
	return parser, nil
}

// agentNames gives the flags that name an agent the agents that there are.
func agentNames() kong.Vars {
	hooked, driven := agents.Settings().Names(), agents.Drives().Names()
	return kong.Vars{
		"hooked": strings.Join(hooked, ","), "hooked_help": oneOf(hooked) + ".",
		"driven": strings.Join(driven, ","), "driven_help": oneOf(driven) + ".",
	}
}

// oneOf joins names for people: "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// exitCode reports an error and gives its exit code.
func exitCode(ctx context.Context, err error, errOut io.Writer) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFailOn):
		fmt.Fprintln(errOut, "scaffoldwatch:", err)
		return exitFailOn
	case errors.As(err, &usage):
		fmt.Fprintln(errOut, "scaffoldwatch:", err)
		return exitUsage
	case errors.Is(err, syscall.EPIPE):
		return exitDone // the reader had enough, as in `| head`
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitFailed
	}
	fmt.Fprintln(errOut, "scaffoldwatch:", err)
	return exitFailed
}
