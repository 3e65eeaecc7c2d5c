package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/experiment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// checks holds the flags of checks that are run on request (JD-21).
type checks struct {
	Run   bool                      `help:"Run the project's own tests, build or linters, and judge the last response by the receipt. Asks before a command runs in a folder for the first time." xor:"run"`
	Check []sessionevents.CheckKind `help:"With --run: what to run, instead of what the last response claims." enum:"test,build,lint" placeholder:"test|build|lint"`
	At    string                    `help:"With --run: run at this commit, in a temporary worktree, to find out whether a failure existed before." placeholder:"COMMIT"`
	Limit time.Duration             `help:"With --run: how long each may take." default:"10m" placeholder:"DURATION"`
	Yes   bool                      `help:"With --run: run without asking, this time."`
}

// errNothingToRun is returned for a session whose project names no check, or whose folder is not here.
var errNothingToRun = errors.New("no check can be run")

// experiments runs the checks for the one session that belongs to the project's folder, and returns the
// events of the results.
func (c *checks) experiments(r *cli.Call, rules string, sessions []sessionreport.Model) ([]events.Event, error) {
	m := ofProject(sessions)
	if m == nil {
		return nil, cli.Usage(fmt.Errorf("%w: no session of it names a folder of this machine", errNothingToRun))
	}
	set, err := deployment.LoadRules(rules)
	if err != nil {
		return nil, cli.Usage(err)
	}
	finder, err := experiment.New(set)
	if err != nil {
		return nil, cli.Usage(err)
	}
	redactor, err := ingest.Redactor(deployment.Options{Rules: set})
	if err != nil {
		return nil, cli.Usage(err)
	}
	var out []events.Event
	for _, kind := range c.kinds(m) {
		receipt, err := c.run(r, finder, m.Session.Workspace, kind)
		if err != nil {
			return out, err
		}
		receipt.Session, receipt.Run, receipt.Turn, receipt.By = m.Session.ID, m.Session.Run, m.Turns, cli.Author{}.Name()
		if at := m.Session.Last; !at.IsZero() && receipt.At == "" {
			receipt.Later = experiment.Later(r, m.Session.Workspace, at)
		}
		receipt.Summary, _ = redactor.Text(receipt.Summary, "")
		out = append(out, experiment.Event(operator.Source, receipt, time.Now()))
	}
	return out, nil
}

// ofProject returns the session that claims something and works in a folder of this machine, preferably not
// a subagent's; nil if there is none.
func ofProject(sessions []sessionreport.Model) (found *sessionreport.Model) {
	for i := range sessions {
		m := &sessions[i]
		if !filepath.IsAbs(m.Session.Workspace) || !experiment.IsFolder(m.Session.Workspace) {
			continue
		}
		if subagent := m.Session.Agent != nil && m.Session.Agent.ParentSession != ""; found == nil || !subagent {
			found = m
		}
	}
	return found
}

// kinds returns the checks that the last response claims to have passed, tests if it claims none.
func (c *checks) kinds(m *sessionreport.Model) []sessionevents.CheckKind {
	if len(c.Check) > 0 {
		return c.Check
	}
	var kinds []sessionevents.CheckKind
	if m.Done != nil {
		for _, claim := range m.Done.Claims {
			kind := experiment.OfClaim(claim.Kind)
			if claim.Final && kind != "" && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	if len(kinds) == 0 {
		return []sessionevents.CheckKind{sessionevents.CheckTest}
	}
	return kinds
}

func (c *checks) run(r *cli.Call, finder *experiment.Finder, folder string, kind sessionevents.CheckKind) (receipt *sessionevents.CheckObserved, err error) {
	if c.At == "" {
		return c.inFolder(r, finder, folder, folder, kind)
	}
	err = experiment.At(r, folder, c.At, func(worktree, commit string) error {
		receipt, err = c.inFolder(r, finder, folder, worktree, kind)
		if receipt != nil {
			receipt.At, receipt.Workspace = commit, folder
		}
		return err
	})
	return receipt, err
}

func (c *checks) inFolder(r *cli.Call, finder *experiment.Finder, project, folder string, kind sessionevents.CheckKind) (*sessionevents.CheckObserved, error) {
	command, found := finder.Find(folder, kind)
	if !found {
		return nil, cli.Usage(fmt.Errorf("%w: %s names no %s: neither a task file, nor continuous integration, nor a manifest that is known", errNothingToRun, folder, kind))
	}
	if err := c.mayRun(r, project, command); err != nil {
		return nil, err
	}
	fmt.Fprintf(r.Stderr, "running %s (from %s) in %s\n", command.Line(), command.From, folder)
	return finder.Run(r, command, folder, c.Limit)
}

// mayRun asks the person the first time that a command is to run in a folder, and remembers consent.
func (c *checks) mayRun(r *cli.Call, folder string, command experiment.Command) error {
	if c.Yes {
		return nil
	}
	consents, err := experiment.Default()
	if err != nil {
		return err
	}
	if given, err := consents.Given(folder, command); err != nil || given {
		return err
	}
	act := fmt.Sprintf("run %q, which %s of %s names", command.Line(), command.From, folder)
	if !cli.AtTerminal(r) {
		return cli.Usage(fmt.Errorf("%s: confirm it in a terminal, or with --yes", act))
	}
	fmt.Fprintf(r.Stderr, "May it %s, under your account, now and from now on? Type yes: ", act)
	answer, err := bufio.NewReader(io.LimitReader(r.Input(), 100)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if strings.TrimSpace(strings.ToLower(answer)) != "yes" {
		return fmt.Errorf("%s: not confirmed", act)
	}
	return consents.Give(folder, command)
}
