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

// commands are the subcommands; each has a file of its own.
type commands struct {
	Config string `help:"Configuration file (YAML)." type:"path" env:"SCAFFOLDWATCH_CONFIG" placeholder:"FILE"`

	Up       upCommand       `cmd:"" help:"Run NATS and all services in one process."`
	Scan     scanCommand     `cmd:"" help:"Read transcripts offline and say what stands out."`
	Publish  publishCommand  `cmd:"" help:"Send transcripts into a running system."`
	Drive    driveCommand    `cmd:"" help:"Run an agent, or join one, with interrupts and halts."`
	Hook     hookCommand     `cmd:"" help:"Stand in an agent's hook: what it did in, what to say out."`
	Index    indexCommand    `cmd:"" help:"Index a codebase: files, symbols, conventions."`
	Watch    watchCommand    `cmd:"" help:"Show decisions as they are made."`
	Report   reportCommand   `cmd:"" help:"Print the report of a session."`
	Sessions sessionsCommand `cmd:"" help:"List the sessions of a running system."`
	Ack      ackCommand      `cmd:"" help:"Say that an interrupt was seen."`
	Dismiss  dismissCommand  `cmd:"" help:"Mark an interrupt as a false positive."`
	Mute     muteCommand     `cmd:"" help:"Silence a detector, a subject or a session."`
	Unmute   unmuteCommand   `cmd:"" help:"Take a mute back."`
	Mutes    mutesCommand    `cmd:"" help:"List what is muted."`
	RunEvent runEventCommand `cmd:"" name:"run-event" help:"Tell what happens in a run, and obey what is decided."`
	Gate     gateCommand     `cmd:"" help:"Ask a gate before the act."`
	Runs     runsCommand     `cmd:"" help:"List the runs, or show one."`
	Control  controlCommand  `cmd:"" help:"Print whether a run or session may go on."`
	Resume   resumeCommand   `cmd:"" help:"Let a halted run or session go on."`
	Approve  approveCommand  `cmd:"" help:"Approve the plan of a run."`
	Recover  recoverCommand  `cmd:"" help:"Choose how a denied merge is recovered."`
	Answer   answerCommand   `cmd:"" help:"Answer a question of a run."`
	Descope  descopeCommand  `cmd:"" help:"Take an agent out of its wave."`
	GitHook  gitHookCommand  `cmd:"" name:"git-hook" help:"Guard a Git repository and tell what happens in it."`
	Notify   notifyCommand   `cmd:"" help:"Test channels of notifications, show their outbox."`
	Hours    hoursCommand    `cmd:"" help:"Say whether it is working time."`
	Streams  streamsCommand  `cmd:"" help:"Create and check the streams."`
	Dead     deadCommand     `cmd:"" help:"Look after what could not be processed."`
	Doctor   doctorCommand   `cmd:"" help:"Check an installation."`
	Rules    rulesCommand    `cmd:"" help:"List and explain detectors and rules."`

	Install   installCommand   `cmd:"" help:"Put the hooks into a coding agent's settings."`
	Uninstall uninstallCommand `cmd:"" help:"Take the hooks out of a coding agent's settings."`

	Completion kongcompletion.Completion `cmd:"" help:"Print shell completion code."`
	Version    versionCommand            `cmd:"" help:"Print the version."`
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
	parser, err := newParser(&cli, kong.Writers(out, errOut), kong.Exit(func(code int) { exit = code }))
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

// newParser makes the parser of the command line.
func newParser(cli *commands, options ...kong.Option) (*kong.Kong, error) {
	parser, err := kong.New(cli, append([]kong.Option{
		kong.Name("scaffoldwatch"),
		kong.Description("Watches fleets of coding agents and stops waste and damage before it compounds."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
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
