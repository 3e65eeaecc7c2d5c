package report

import (
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
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Done prints the ledger of done (PD-3).
type Done struct {
	cli.Connection
	cli.Surroundings
	ID     string `arg:"" name:"id" help:"Session or run, by id or the first letters of it, or a transcript file or folder."`
	Output string `short:"o" help:"Output: text, json or md." enum:"text,json,md" default:"text"`
	Rules  string `help:"Rules file (YAML) that overrides the built-in rules." type:"path" placeholder:"FILE"`
	FailOn string `help:"Exit with code 3 if a response ended with a claim that is contradicted, or unproven as well." enum:",contradicted,unproven" default:"" placeholder:"contradicted|unproven"`
}

// Help gives examples.
func (Done) Help() string {
	return `Prints what a session or run claims to have done and what shows it: each claim is proven,
unproven, contradicted or not checkable, the worst first, with the check that decides and
the command that would show it; then promises that are open. A path is read as a
transcript, without a running system.

Examples:
  scaffoldwatch done payments-webhook
  scaffoldwatch done nightly --output md
  scaffoldwatch done ~/.claude/projects/shop/session.jsonl
  scaffoldwatch done session.jsonl --output json | jq '.[].done.claims[0]'
  scaffoldwatch done session.jsonl --fail-on contradicted`
}

// doneForm is the JSON form of one session's ledger.
type doneForm struct {
	Session sessionreport.Session `json:"session"`
	Done    *sessionreport.Done   `json:"done"`
}

// Run prints the ledgers, that of the worst session first.
func (c *Done) Run(r *cli.Call) error {
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
		return sessionreport.RenderDone(r.Stdout, c.Output == "md", sessions...)
	}
	forms := []doneForm{}
	for _, m := range sessions {
		forms = append(forms, doneForm{m.Session, m.Done})
	}
	return cli.Indented(r.Stdout, forms)
}

// sessions are those of a transcript, of a run, or the one session.
func (c *Done) sessions(r *cli.Call) ([]sessionreport.Model, error) {
	if _, err := os.Stat(c.ID); err == nil {
		scan := transcript.Scan{Surroundings: c.Surroundings, Paths: []string{c.ID}, Rules: c.Rules}
		return scan.Sessions(r)
	}
	if isPath(c.ID) {
		return nil, fmt.Errorf("%s: no such file or folder; give an existing transcript, or the id of a session or run", c.ID)
	}
	broker, nc, err := c.Open(r)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	reading, err := (&Report{Connection: c.Connection, Rules: c.Rules}).reading(r)
	if err != nil {
		return nil, err
	}
	named, err := decisions.Named(r, broker, c.ID)
	if err != nil {
		return nil, err
	}
	m, err := decisions.ReadReport(r, broker, named.ID, reading)
	if err == nil {
		return []sessionreport.Model{m}, nil
	}
	all, groupErr := decisions.ReadGroup(r, broker, named.ID, reading)
	if groupErr != nil || len(all) == 0 {
		return nil, errors.Join(err, groupErr)
	}
	return all, nil
}

// isPath reports whether an argument can only mean a file: ids have neither folders nor endings of
// transcripts.
func isPath(id string) bool {
	return strings.ContainsAny(id, `/\`) || slices.Contains([]string{".jsonl", ".ndjson", ".json", ".md", ".txt", ".yaml", ".yml", ".gz", ".zst", ".db"}, strings.ToLower(filepath.Ext(id)))
}

func (c *Done) fails(m sessionreport.Model) bool {
	if m.Done == nil || c.FailOn == "" {
		return false
	}
	// What is printed counts, whether or not a response ended with it.
	contradicted, unproven := m.Done.Verdicts[sessionevents.Contradicted], m.Done.Verdicts[sessionevents.Unproven]
	return contradicted > 0 || c.FailOn == "unproven" && unproven > 0
}

// rank orders sessions, the worst first.
func rank(m sessionreport.Model) int {
	if m.Done == nil {
		return 0
	}
	return -1000*m.Done.Verdicts[sessionevents.Contradicted] - m.Done.Verdicts[sessionevents.Unproven]
}
