// Command scaffoldwatch watches coding agents: it runs the services, reads transcripts, and shows the
// findings.
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

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/nearest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/advice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/agent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/audit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/codebase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/git"
	_ "github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/here"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/interrupt"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/mute"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/notices"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/report"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/rescue"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/rules"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/session"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/system"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/try"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// commands are the subcommands, grouped as in the help.
type commands struct {
	shared

	Scan     transcript.Scan `cmd:"" group:"look" help:"Read transcripts offline and report findings."`
	Try      try.Try         `cmd:"" group:"look" help:"Explain how the guard judges a command, without running it."`
	Watch    session.Watch   `cmd:"" group:"look" help:"Show decisions as they are made."`
	Report   report.Report   `cmd:"" group:"look" help:"Print the report of a session, a run or all sessions."`
	Done     report.Done     `cmd:"" group:"look" help:"Print what was claimed and the evidence for it, worst first."`
	Sessions session.List    `cmd:"" group:"look" help:"List the sessions of a running system."`
	Runs     run.List        `cmd:"" group:"look" help:"List the runs, or show one."`
	Control  run.Control     `cmd:"" group:"look" help:"Print whether a run or session may continue."`
	Mutes    mute.List       `cmd:"" group:"look" help:"List mutes."`

	Install   agent.Install      `cmd:"" group:"connect" help:"Add hooks to a coding agent's settings."`
	Uninstall agent.Uninstall    `cmd:"" group:"connect" help:"Remove hooks from a coding agent's settings."`
	Hook      agent.Hook         `cmd:"" group:"connect" help:"Run as an agent's hook. Agents call this; you don't."`
	Drive     agent.Drive        `cmd:"" group:"connect" help:"Run an agent, or attach to one, with interrupts and halts."`
	Publish   transcript.Publish `cmd:"" group:"connect" help:"Send transcripts to a running system."`
	Index     codebase.Index     `cmd:"" group:"connect" help:"Index the files, symbols and conventions of a codebase."`
	RunEvent  run.Event          `cmd:"" group:"connect" name:"run-event" help:"Report what happens in a run, and get the decision."`
	Gate      run.Gate           `cmd:"" group:"connect" help:"Ask a gate whether an action is allowed."`
	GitHook   git.Hook           `cmd:"" group:"connect" name:"git-hook" help:"Guard a Git repository and report its commits."`

	Allow   interrupt.Allow   `cmd:"" group:"answer" help:"Let a denied command of an agent run once."`
	Ack     interrupt.Ack     `cmd:"" group:"answer" help:"Acknowledge an interrupt or escalation."`
	Dismiss interrupt.Dismiss `cmd:"" group:"answer" help:"Mark an interrupt as a false positive."`
	Mute    mute.Mute         `cmd:"" group:"answer" help:"Mute a detector, a subject or a session."`
	Unmute  mute.Unmute       `cmd:"" group:"answer" help:"End a mute."`
	Answer  run.Answer        `cmd:"" group:"answer" help:"Answer a question of a run."`
	Approve run.Approve       `cmd:"" group:"answer" help:"Approve the plan of a run."`
	Recover run.Recover       `cmd:"" group:"answer" help:"Choose how to recover a denied merge."`
	Rescue  rescue.Rescue     `cmd:"" group:"answer" help:"List and restore snapshots of uncommitted work."`
	Descope run.Descope       `cmd:"" group:"answer" help:"Remove an agent from its wave."`
	Halt    run.Halt          `cmd:"" group:"answer" help:"Halt a run or session."`
	Resume  run.Resume        `cmd:"" group:"answer" help:"Resume a halted run or session."`

	Up      system.Up      `cmd:"" group:"operate" help:"Run NATS and all services in one process."`
	Streams system.Streams `cmd:"" group:"operate" help:"Create and check the streams."`
	Dead    system.Dead    `cmd:"" group:"operate" help:"Inspect and retry dead letters."`
	Notify  notices.Notify `cmd:"" group:"operate" help:"Test notification channels and show the outbox."`
	Advisor advice.Advisor `cmd:"" group:"operate" help:"Show what a model was asked and answered."`
	Hours   notices.Hours  `cmd:"" group:"operate" help:"Print whether it is working time."`

	Doctor   system.Doctor  `cmd:"" group:"audit" help:"Check an installation."`
	Verify   audit.Verify   `cmd:"" group:"audit" help:"Prove that nothing recorded was added, changed or removed."`
	Anchor   audit.Anchor   `cmd:"" group:"audit" help:"Sign the heads of all streams, to verify against later."`
	Attest   audit.Attest   `cmd:"" group:"audit" help:"Sign a verdict on commits, a session or a run."`
	Export   audit.Export   `cmd:"" group:"audit" help:"Write a session, a run or some days into one file that proves itself."`
	Replay   audit.Replay   `cmd:"" group:"audit" help:"Derive recorded events again and compare them byte for byte."`
	Backtest audit.Backtest `cmd:"" group:"audit" help:"Show what other rules would have decided."`
	Purge    audit.Purge    `cmd:"" group:"audit" help:"Erase a session or run and leave a tombstone."`
	Backup   audit.Backup   `cmd:"" group:"audit" help:"Copy the whole record into a directory."`
	Restore  audit.Restore  `cmd:"" group:"audit" help:"Restore a backup into an empty system."`
	Keys     audit.Keys     `cmd:"" group:"audit" help:"Make, replace and list signing keys."`
	Rules    rules.Rules    `cmd:"" group:"audit" help:"List, explain and test rules."`

	Completion kongcompletion.Completion `cmd:"" group:"operate" help:"Print shell completion code."`
	Version    versionCommand            `cmd:"" group:"operate" help:"Print the version."`
	Man        manCommand                `cmd:"" hidden:"" group:"operate" help:"Print the manual page, for man."`
}

// shared holds the flags of every command.
type shared struct {
	Config string `help:"Configuration file (YAML)." type:"path" env:"SCAFFOLDWATCH_CONFIG" placeholder:"FILE"`
}

// groups are the headings of the help, in order.
var groups = []kong.Group{
	{Key: "look", Title: "Look"},
	{Key: "connect", Title: "Connect"},
	{Key: "answer", Title: "Answer"},
	{Key: "operate", Title: "Operate"},
	{Key: "audit", Title: "Audit"},
}

func main() {
	// Writing to a closed pipe is an error like any other (exitCode), and does not end the process midway.
	signal.Ignore(syscall.SIGPIPE)
	if name := config.EnvPrefix + "CONFIG"; os.Getenv(name) == "" {
		_ = os.Unsetenv(name) // set but empty, it would name this directory
	}
	os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// endings are the signals after which a command ends in order. A terminal that is closed sends SIGHUP; one
// that nohup has it ignore stays ignored.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// execute runs one command line and returns its exit code.
func execute(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	args = meant(args, out)
	if slices.Equal(args, []string{"version"}) {
		return exitCode(ctx, versionCommand{}.Run(&cli.Call{Stdout: out}), errOut) // without the parser of all commands
	}
	if len(args) == 0 {
		return exitCode(ctx, here.Command{}.Run(&cli.Call{Context: ctx, Stdin: in, Stdout: out, Stderr: errOut, Theme: terminal.New(out, os.Getenv)}), errOut)
	}
	var grammar commands
	exit := -1
	parse := newParser
	if len(args) > 0 && args[0] == "hook" {
		parse = newHookParser
	}
	parser, err := parse(&grammar, kong.Writers(out, errOut), kong.Exit(func(code int) { exit = code }))
	if err != nil {
		tell(errOut, err.Error())
		return cli.ExitFailed
	}
	if exit >= 0 { // a shell asked for completions and got them
		return exit
	}
	call, err := parser.Parse(args)
	if exit >= 0 { // --help was printed
		return exit
	}
	if err != nil {
		var write *fs.PathError
		if errors.As(err, &write) { // failing to write the help is not a usage error
			return exitCode(ctx, err, errOut)
		}
		tell(errOut, fmt.Sprintf("%s%s\nscaffoldwatch: see %s --help", usage(err), meantCommand(err, args), atFault(err)))
		return agent.UsageExit(args)
	}
	var denied cli.Denied
	var session cli.Session
	err = call.Run(&cli.Call{
		Context: ctx, Stdin: in, Stdout: out, Stderr: errOut, Theme: terminal.New(out, os.Getenv), Config: grammar.Config,
		Denied: &denied, Session: &session,
	})
	session.Close()
	return exitCode(ctx, denied.Explain(err), errOut)
}

// meant translates what people type before they know the commands (CO-9a). Without arguments and without a
// terminal, the help is the best answer.
func meant(args []string, out io.Writer) []string {
	switch {
	case len(args) == 0 && !terminal.New(out, os.Getenv).Interactive:
		return []string{"--help"}
	case len(args) == 0:
		return nil
	case len(args) == 1 && slices.Contains([]string{"--version", "-v", "-V"}, args[0]):
		return []string{"version"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "status":
		return nil
	case args[0] == "demo":
		return append([]string{"up", "--demo"}, args[1:]...)
	}
	return args
}

// usage returns what is wrong with a call. The parser lists the empty default among the choices and names
// types as Go does.
func usage(err error) string {
	text := strings.NewReplacer(`"",`, "", `,""`, "",
		"expected a valid 64 bit int but got", "must be a whole number, not").Replace(err.Error())
	text = strings.ReplaceAll(text, `","`, `", "`)
	if name, is := strings.CutPrefix(text, `expected "<`); is && strings.HasSuffix(name, `"`) {
		return "<" + strings.TrimSuffix(strings.TrimSuffix(name, `"`), " ...") + " is missing"
	}
	return text
}

// atFault returns the command whose help a wrong call should point to.
func atFault(err error) string {
	var mistake *kong.ParseError
	if errors.As(err, &mistake) && mistake.Context != nil {
		if command := mistake.Context.Selected(); command != nil {
			return command.FullPath()
		}
	}
	return "scaffoldwatch"
}

// meantCommand suggests a subcommand for a mistyped one, where another of them is the default and takes the word for
// its own argument.
func meantCommand(err error, args []string) string {
	var mistake *kong.ParseError
	if strings.Contains(err.Error(), "did you mean") || !errors.As(err, &mistake) || mistake.Context == nil || len(args) < 2 {
		return ""
	}
	selected := mistake.Context.Selected()
	if selected == nil || selected.Parent == nil || selected.Parent.DefaultCmd != selected || slices.Contains(args, selected.Name) {
		return ""
	}
	var names []string
	for _, child := range selected.Parent.Children {
		names = append(names, child.Name)
	}
	if name := nearest.Name(args[1], names); name != "" {
		return fmt.Sprintf(", did you mean %q?", name)
	}
	return ""
}

// tell prints an error, on a terminal in lines that end at spaces.
func tell(errOut io.Writer, text string) {
	text = "scaffoldwatch: " + text
	if t := terminal.New(errOut, os.Getenv); t.Interactive {
		text = within(text, t.Width)
	}
	fmt.Fprintln(errOut, text)
}

// within breaks the lines that do not fit a width.
func within(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if lipgloss.Width(line) > width { // one that fits may be laid out
			lines[i] = terminal.Wrap(line, width, 0)
		}
	}
	return strings.Join(lines, "\n")
}

// newHookParser returns a parser that knows only the hook, which agents wait for: the parser of all
// commands costs 5 ms.
func newHookParser(all *commands, options ...kong.Option) (*kong.Kong, error) {
	hook := struct {
		*shared
		Hook *agent.Hook `cmd:"" group:"connect" help:"Run as an agent's hook. Agents call this; you don't."`
	}{&all.shared, &all.Hook}
	return parserOf(&hook, options...)
}

// newParser returns the parser of the command line.
func newParser(all *commands, options ...kong.Option) (*kong.Kong, error) {
	return parserOf(all, options...)
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

// agentNames returns the names of the agents for flags that select one, and how long they wait for a hook.
func agentNames() kong.Vars {
	hooked, driven := agents.Settings().Names(), agents.Drives().Names()
	return kong.Vars{
		"hooked": strings.Join(hooked, ","), "hooked_help": oneOf(hooked) + ".",
		"driven": strings.Join(driven, ","), "driven_help": oneOf(driven) + ".",
		"hook_timeout": hookclient.DefaultTimeout.String(),
	}
}

// oneOf joins names for people: "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// exitCode reports an error and returns its exit code.
func exitCode(ctx context.Context, err error, errOut io.Writer) int {
	var usage cli.UsageError
	switch {
	case err == nil:
		return cli.ExitDone
	case errors.Is(err, cli.ErrFailOn):
		tell(errOut, err.Error())
		return cli.ExitFailOn
	case errors.Is(err, cli.ErrDenied):
		return cli.ExitFailOn
	case errors.Is(err, cli.ErrWarned):
		return cli.ExitWarned
	case errors.As(err, &usage):
		tell(errOut, err.Error())
		return cli.ExitUsage
	case errors.Is(err, syscall.EPIPE):
		return cli.ExitDone // the reader stopped reading, as in `| head`
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return cli.ExitFailed
	}
	tell(errOut, err.Error())
	return cli.ExitFailed
}
