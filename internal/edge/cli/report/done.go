package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Done prints the ledger of done (PD-3).
type Done struct {
	cli.Operated
	cli.Surroundings
	checks
	ID     string `arg:"" optional:"" name:"id" help:"Session or run, by id or the first letters of it, or a transcript file or folder; the last session of an agent in this folder if absent."`
	All    bool   `help:"List every claim, also those from the middle of the work that need nobody."`
	Output string `short:"o" help:"Output: text, json or md." enum:"text,json,md" default:"text"`
	Rules  string `help:"Rules file (YAML) that overrides the built-in rules." type:"path" placeholder:"FILE"`
	FailOn string `help:"Exit with code 3 if a response ended with a claim that is contradicted, or unproven as well." enum:",contradicted,unproven" default:"" placeholder:"contradicted|unproven"`
}

// Help gives examples.
func (Done) Help() string {
	return `Prints what a session or run claims to have done and what shows it: each claim is proven,
unproven, contradicted or not checkable, the worst first, with the check that decides and
the command that would show it; then promises that are open. Claims from the middle of the
work that are proven or not checkable are counted, and listed with --all. A path is read as a
transcript, without a running system, and so is the transcript of a session on this machine
if no system runs.

--run runs the project's own tests, build or linters in the session's folder, in a clean
process with a time limit, and judges the last response by the receipt. The command comes
from the project (package scripts, Makefile or task file, continuous integration, manifest),
never from what an agent said. With --at it runs at a commit, in a temporary worktree.

Examples:
  scaffoldwatch done
  scaffoldwatch done payments-webhook
  scaffoldwatch done nightly --output md
  scaffoldwatch done ~/.claude/projects/shop/session.jsonl
  scaffoldwatch done session.jsonl --output json | jq '.[].done.claims[0]'
  scaffoldwatch done session.jsonl --fail-on contradicted
  scaffoldwatch done payments-webhook --run
  scaffoldwatch done session.jsonl --run --check test --at HEAD~1 --yes`
}

// doneForm is the JSON form of one session's ledger.
type doneForm struct {
	Session sessionreport.Session `json:"session"`
	Done    *sessionreport.Done   `json:"done"`
}

// Run prints the ledgers, the worst session first.
func (c *Done) Run(r *cli.Call) error {
	if !c.checks.Run && (c.At != "" || len(c.Check) > 0 || c.Yes) {
		return cli.Usage(errors.New("--at, --check and --yes require --run"))
	}
	sessions, err := c.sessions(r)
	if err != nil {
		return err
	}
	slices.SortStableFunc(sessions, func(a, b sessionreport.Model) int { return cmp.Compare(rank(a), rank(b)) })
	if err := c.print(r, sessions); err != nil {
		return err
	}
	for _, m := range sessions {
		if c.fails(m) {
			return fmt.Errorf("%w: %s", cli.ErrFailOn, c.FailOn)
		}
	}
	return nil
}

func (c *Done) print(r *cli.Call, sessions []sessionreport.Model) error {
	if c.Output != "json" {
		return c.ledgers(r, sessions)
	}
	forms := []doneForm{}
	for _, m := range sessions {
		forms = append(forms, doneForm{m.Session, m.Done})
	}
	return cli.Indented(r.Stdout, forms)
}

// ledgers writes those of sessions as text or Markdown, one below the other.
func (c *Done) ledgers(r *cli.Call, sessions []sessionreport.Model) error {
	screen := doc.Screen{Style: cli.TextStyle{Theme: r.Theme}}
	if r.Theme.Interactive { // piped output has no maximum width
		screen.Width = r.Theme.Width
	}
	var text bytes.Buffer
	for i, m := range sessions {
		if i > 0 {
			text.WriteByte('\n')
		}
		ledger, err := sessionreport.Ledger(m, c.All), error(nil)
		if c.Output == "md" {
			err = doc.WriteMarkdown(&text, ledger)
		} else {
			err = doc.WriteText(&text, ledger, screen)
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.Stdout.Write(text.Bytes()); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	return nil
}

var errNoSessionHere = errors.New("no session of an agent in this folder was found; name one, or a transcript")

// sessions are those of a transcript, of a run, or the one session.
func (c *Done) sessions(r *cli.Call) ([]sessionreport.Model, error) {
	if c.ID == "" {
		folder, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find this folder: %w", err)
		}
		if c.ID = transcript.LastIn(folder); c.ID == "" {
			return nil, cli.Usage(errNoSessionHere)
		}
	}
	if _, err := os.Stat(c.ID); err == nil {
		scan := transcript.Scan{Surroundings: c.Surroundings, Paths: []string{c.ID}, Rules: c.Rules}
		if c.checks.Run {
			scan.Then = func(read []sessionreport.Model) ([]events.Event, error) { return c.experiments(r, c.Rules, read) }
		}
		return scan.Sessions(r)
	}
	if isPath(c.ID) {
		return nil, fmt.Errorf("%s: no such file or folder; give an existing transcript, or the id of a session or run", c.ID)
	}
	connection := c.Connection
	if c.checks.Run {
		var err error
		if connection, err = c.AsOperator(r, "Record what the project's checks say"); err != nil {
			return nil, err
		}
	}
	broker, nc, err := connection.Open(r)
	if err != nil {
		if file := transcript.Of(c.ID); file != "" {
			c.ID = file
			return c.sessions(r)
		}
		return nil, err
	}
	reading, err := (&Report{Connection: c.Connection, Rules: c.Rules}).reading(r)
	if err != nil {
		return nil, err
	}
	named, err := decisions.Named(r, broker, c.ID)
	if err != nil {
		return nil, err
	}
	all := []sessionreport.Model{{}}
	if all[0], err = decisions.ReadReport(r, broker, named.ID, reading); err != nil {
		var groupErr error
		if all, groupErr = decisions.ReadGroup(r, broker, named.ID, reading); groupErr != nil || len(all) == 0 {
			return nil, errors.Join(err, groupErr)
		}
	}
	if !c.checks.Run {
		return all, nil
	}
	return c.checked(r, nc, all)
}

// checked runs the project's checks, records the receipts, and judges the sessions by them.
func (c *Done) checked(r *cli.Call, nc *nats.Conn, all []sessionreport.Model) ([]sessionreport.Model, error) {
	receipts, err := c.experiments(r, c.Rules, all)
	for _, e := range receipts {
		for i := range all {
			if all[i].Session.ID == e.Subject {
				if all[i].Done == nil {
					all[i].Done = &sessionreport.Done{Verdicts: map[sessionevents.Verdict]int{}}
				}
				all[i].Done.Receive(e.Data.(*sessionevents.CheckObserved))
			}
		}
	}
	if len(receipts) > 0 {
		err = errors.Join(err, operator.Publish(r, nc, receipts...))
	}
	return all, err
}

// isPath reports whether an argument can only be a file: ids have neither folders nor the extensions of
// transcripts.
func isPath(id string) bool {
	return strings.ContainsAny(id, `/\`) || slices.Contains([]string{".jsonl", ".ndjson", ".json", ".md", ".txt", ".yaml", ".yml", ".gz", ".zst", ".db"}, strings.ToLower(filepath.Ext(id)))
}

func (c *Done) fails(m sessionreport.Model) bool {
	if m.Done == nil || c.FailOn == "" {
		return false
	}
	// What is printed counts, whether or not it is from the end of a response.
	contradicted, unproven := m.Done.Verdicts[sessionevents.Contradicted], m.Done.Verdicts[sessionevents.Unproven]
	return contradicted > 0 || c.FailOn == "unproven" && unproven > 0
}

// rank orders sessions by severity, the worst first.
func rank(m sessionreport.Model) int {
	if m.Done == nil {
		return 0
	}
	return -1000*m.Done.Verdicts[sessionevents.Contradicted] - m.Done.Verdicts[sessionevents.Unproven]
}
