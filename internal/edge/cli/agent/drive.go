package agent

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/attach"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Drive runs an agent, or attaches to one, with interrupts and halts.
type Drive struct {
	cli.Connection
	cli.Surroundings
	Agent   string        `required:"" enum:"${driven}" help:"Agent: ${driven_help}" placeholder:"NAME"`
	URL     string        `name:"url" help:"URL of the opencode (http://127.0.0.1:4096) or openhands (http://127.0.0.1:8000) server." placeholder:"URL"`
	Prompt  string        `short:"p" help:"Task for claude-code or codex; defaults to standard input." placeholder:"TEXT"`
	InRun   string        `name:"run" help:"Run that the sessions belong to." placeholder:"ID"`
	Linger  time.Duration `help:"How long claude-code or codex stays after its task is done, to receive an interrupt about its last turn." default:"3s"`
	Spool   string        `help:"Folder that keeps turns while the broker is unreachable; defaults to the user's cache." type:"path" placeholder:"DIR"`
	Command []string      `arg:"" optional:"" help:"Command that starts claude-code or codex, with its own flags, after --."`
}

// Help gives examples.
func (Drive) Help() string {
	return `Runs an agent, or joins one that runs as a server, without hooks. Its turns are published
as they happen, interrupts reach it with its next request, and a hard halt stops it at
once. Exits with code 0 when the agent is done, 1 when it failed or was halted.

Examples:
  scaffoldwatch drive --agent claude-code --prompt "fix the checkout" -- claude --permission-mode acceptEdits
  scaffoldwatch drive --agent codex --prompt "fix the checkout" -- codex -c approval_policy=never
  scaffoldwatch drive --agent opencode --url http://127.0.0.1:4096
  scaffoldwatch drive --agent openhands --url http://127.0.0.1:8000 --run nightly`
}

// Run drives the agent until it ends or the user presses Ctrl-C.
func (c *Drive) Run(r *cli.Call) error {
	heap.Usual()
	if c.InRun != "" && !events.ValidID(c.InRun) {
		return cli.Usage(fmt.Errorf("--run %q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.InRun))
	}
	agent, err := c.driver(r)
	if err != nil {
		return cli.Usage(err)
	}
	opener, err := c.Opener()
	if err != nil {
		return err
	}
	broker, nc, err := c.Patient().Open(r)
	if err != nil {
		return err
	}
	note := func(text string) { fmt.Fprintln(r.Stderr, "scaffoldwatch:", terminal.Clean(text)) }
	err = attach.Run(r, nc, agent, attach.Options{
		Run: c.InRun, Spool: c.Spool, Opener: opener, Note: note, TrustedKeys: broker.Keys().Trusted[cli.Deciding], RevokedKeys: broker.Keys().Revoked,
	})
	cli.DescribeNotes(r.Stderr, opener)
	return err
}

// driver returns the driver of the selected agent.
func (c *Drive) driver(r *cli.Call) (drive.Driver, error) {
	way, err := agents.Drives().Named(c.Agent)
	if err != nil {
		return nil, err
	}
	options := drive.Options{Run: c.InRun, Getenv: os.Getenv}
	switch {
	case way.Server != "" && (len(c.Command) > 0 || c.Prompt != ""):
		return nil, fmt.Errorf("%s runs as a server: use --url, without prompt and command", c.Agent)
	case way.Server != "":
		options.URL = cmp.Or(c.URL, way.Server)
		return way.New(options)
	case c.URL != "":
		return nil, fmt.Errorf("--url is of agents that run as a server; %s is started by the command after --", c.Agent)
	case len(c.Command) == 0:
		return nil, fmt.Errorf("no command to run; name it after --, as in: scaffoldwatch drive --agent %s --prompt TEXT -- %s", c.Agent, strings.TrimSuffix(c.Agent, "-code"))
	}
	if options.Prompt, err = c.prompt(r); err != nil {
		return nil, err
	}
	options.Command, options.Linger, options.Version = c.Command, c.Linger, buildinfo.Version()
	options.Output, options.Stderr = cleaned{r.Stdout}, r.Stderr
	return way.New(options)
}

// prompt returns the value of the flag, or standard input.
func (c *Drive) prompt(r *cli.Call) (string, error) {
	if c.Prompt != "" && c.Prompt != "-" {
		return c.Prompt, nil
	}
	if file, ok := r.Stdin.(*os.File); ok && c.Prompt == "" {
		if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return "", errors.New("no task: give it with --prompt, or on standard input")
		}
	}
	const most = 1 << 20 // in bytes
	data, err := io.ReadAll(io.LimitReader(r.Input(), most))
	if err != nil {
		return "", fmt.Errorf("read the task from standard input: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return "", errors.New("no task: standard input is empty; give it with --prompt")
	}
	return string(data), nil
}

// cleaned prints an agent's output without terminal control characters.
type cleaned struct{ out io.Writer }

// Write writes complete lines.
func (c cleaned) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if _, err := fmt.Fprintln(c.out, terminal.Clean(strings.TrimSuffix(string(line), "\n"))); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
