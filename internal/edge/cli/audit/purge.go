package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Purge erases a session or run.
type Purge struct {
	cli.Operated
	cli.Author
	cli.Reason
	DryRun bool   `help:"Show what would be erased without changing anything."`
	Yes    bool   `help:"Do not ask. Scripts also need --operator."`
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
	Of     string `arg:"" name:"session|run" help:"Session or run to erase."`
}

// Help explains what is erased and what is not.
func (Purge) Help() string {
	return `Erases what is recorded of a run with all its sessions, or of a session without a run:
its messages in every stream are overwritten and removed, its keys in CONTROL, its rows in
the read model, its report files, and what waits in the outbox of notifications. Services
forget it. A tombstone with who, when, why, counts and digests is left in the chain, so that
"scaffoldwatch verify" accounts for what is missing. It cannot be undone. What agents
publish afterwards under the same id is recorded as new: end the session first.

Not erased: earlier backups, exported bundles, the agent's own transcript, messages already
sent to people, and compressed state snapshots that were replaced before; these the broker
overwrites when it next compacts its files.

Examples:
  scaffoldwatch purge csv-export --dry-run
  scaffoldwatch purge csv-export --why 'request 4711'
  scaffoldwatch purge nightly --why 'request 4711' --operator operator.creds --yes`
}

// purgeReport is what a purge erased, or would erase.
type purgeReport struct {
	Group  string              `json:"group"`
	DryRun bool                `json:"dry_run,omitempty"`
	By     string              `json:"by"`
	Why    string              `json:"why"`
	Erased []runevents.Erasure `json:"erased"`
	Keys   int                 `json:"control_keys"`
	// Resumed means that an earlier purge recorded the tombstone and was interrupted.
	Resumed bool `json:"resumed,omitempty"`
}

// Run erases the named session or run.
func (c *Purge) Run(r *cli.Call) error {
	if !events.ValidID(c.Of) {
		return cli.Usage(fmt.Errorf("%q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Of))
	}
	if c.Why == "" && !c.DryRun {
		return cli.Usage(fmt.Errorf("give a reason; it is recorded in the tombstone: purge %s --why '…'", c.Of))
	}
	broker, nc, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	found, err := c.find(r, broker)
	if err != nil {
		return err
	}
	report := purgeReport{Group: c.Of, By: c.Name(), Why: c.Why, DryRun: c.DryRun, Erased: expected(found)}
	if !c.DryRun {
		if err := c.erase(r, broker, &report, found); err != nil {
			return err
		}
	}
	return c.print(r, report)
}

// find returns the recorded messages of the group. A session of a run cannot be erased alone, because
// events of its run quote it.
func (c *Purge) find(r *cli.Call, broker *nats.Broker) ([]erase.Belongings, error) {
	found, err := erase.Find(r, broker, c.Of, "")
	if err != nil || slices.ContainsFunc(found, func(of erase.Belongings) bool { return of.Events > 0 }) {
		return found, err
	}
	group, err := read.GroupOf(r, broker, c.Of)
	if err != nil {
		return nil, err
	}
	if group != "" && group != c.Of {
		return nil, fmt.Errorf("session %s is part of run %s, whose events and state quote it: purge the run (scaffoldwatch purge %s)", c.Of, group, group)
	}
	return nil, fmt.Errorf("nothing is recorded of a session or run %s%s", c.Of, listed)
}

func erasures(found []erase.Belongings) (all []runevents.Erasure) {
	for _, of := range found {
		all = append(all, of.Erasure)
	}
	return all
}

// expected returns what a purge would erase. A stage that receives it replaces the group's snapshot, so
// snapshots are not among what is left to erase then.
func expected(found []erase.Belongings) (all []runevents.Erasure) {
	for _, of := range found {
		if of.Lasting.Messages > 0 {
			all = append(all, of.Lasting)
		}
	}
	return all
}

// erase announces the purge, commits the tombstone, and erases what it lists.
func (c *Purge) erase(r *cli.Call, broker *nats.Broker, report *purgeReport, found []erase.Belongings) error {
	act := fmt.Sprintf("permanently erase %s (%s)", c.Of, counts(report.Erased))
	asks, err := c.Asks(r)
	if err != nil {
		return err
	}
	if !asks && !c.Yes {
		if err := cli.Confirm(r, act, ", or with --yes"); err != nil {
			return err
		}
	}
	as, err := c.AsOperator(r, act)
	if err != nil {
		return err
	}
	_, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	if found, report.Resumed, err = c.entomb(r, broker, nc, found); err != nil {
		return err
	}
	report.Erased = erasures(found)
	if report.Keys, err = erase.Control(r, broker, c.ids(found)); err != nil {
		return err
	}
	if err := c.overwrite(r, broker, found); err != nil { // as long as messages remain, a second run finds them
		return err
	}
	// The dispatcher puts back a state that a decision demands, until that decision is gone.
	again, err := erase.Control(r, broker, c.ids(found))
	report.Keys = max(report.Keys, again)
	return err
}

// entomb records the tombstone and returns what it names. If an earlier purge was
// interrupted, its tombstone is there, and what is left of it is returned.
func (c *Purge) entomb(r *cli.Call, broker *nats.Broker, nc *nats.Conn, found []erase.Belongings) (all []erase.Belongings, resumed bool, err error) {
	left, err := erase.Unfinished(r, broker, c.Of, found)
	if err != nil || len(left) > 0 {
		return left, true, err
	}
	announced, err := c.record(r, broker, nc, c.ids(found), nil)
	if err != nil {
		return nil, false, err
	}
	if found, err = erase.Find(r, broker, c.Of, announced.ID); err != nil {
		return nil, false, err
	}
	_, err = c.record(r, broker, nc, c.ids(found), erasures(found))
	return found, false, err
}

// ids returns the sessions and runs that messages are about.
func (c *Purge) ids(found []erase.Belongings) []string {
	ids := []string{c.Of}
	for _, of := range found {
		ids = append(ids, of.IDs...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// overwrite erases the messages found, with progress.
func (c *Purge) overwrite(r *cli.Call, broker *nats.Broker, found []erase.Belongings) error {
	total := 0
	for _, of := range found {
		total += of.Messages
	}
	bar := terminal.NewProgress(r.Stderr, "erase", int64(total), false)
	defer bar.Done()
	if err := erase.Remove(r, broker, found, func() { bar.Add(1) }); err != nil {
		return fmt.Errorf("%w; its tombstone is recorded: run the same command again to erase the rest", err)
	}
	return nil
}

// stagePatience is how long to wait for the services to read a tombstone.
const stagePatience = 30 * time.Second

// errNotRead is returned if a stage does not read the tombstone.
var errNotRead = errors.New("the services have not read the tombstone: nothing is erased yet; check that ingest, evaluator and dispatcher run, and run the same command again")

// record publishes a tombstone and waits until every stage has committed it.
func (c *Purge) record(r *cli.Call, broker *nats.Broker, nc *nats.Conn, ids []string, erased []runevents.Erasure) (events.Event, error) {
	at := now().UTC()
	e := events.Event{
		Type: runevents.TypeContentPurged, Subject: c.Of, PartitionKey: c.Of, Time: at,
		ID:   events.DerivedID("purge", c.Of, at.Format(time.RFC3339Nano), len(erased)),
		Data: &runevents.ContentPurged{By: c.Name(), Why: c.Why, IDs: ids, Erased: erased},
	}
	if err := operator.Publish(r, nc, e); err != nil {
		return e, err
	}
	return e, untilRecorded(r, broker, e, errNotRead)
}

func counts(erased []runevents.Erasure) string {
	messages, places := 0, make([]string, 0, len(erased))
	for _, e := range erased {
		messages += e.Messages
		places = append(places, fmt.Sprintf("%s %d", e.Stream, e.Messages))
	}
	return fmt.Sprintf("%s: %s", cli.Plural(messages, "message"), strings.Join(places, ", "))
}

func (c *Purge) print(r *cli.Call, report purgeReport) error {
	if c.Output == "json" {
		encoder := json.NewEncoder(r.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	}
	if c.DryRun {
		_, err := fmt.Fprintf(r.Prose(), "would erase %s: %s, and its rows, reports, notifications and control states; nothing is changed\n", report.Group, counts(report.Erased))
		return err
	}
	_, err := fmt.Fprintf(r.Prose(), `erased %s: %s, %s
The reporter removes its rows, reports and notifications when it reads the tombstone.
Earlier backups, bundles and the agent's own transcript may still hold it. Replaced state
snapshots remain in the broker's files, compressed, until it compacts them.
`, report.Group, counts(report.Erased), cli.Plural(report.Keys, "control state"))
	if err == nil && report.Resumed {
		_, err = fmt.Fprint(r.Stdout, `An earlier purge of it was interrupted. If the broker itself was killed at that moment, the
message that it was erasing is deleted, but may not be overwritten in its files: see
"Not erased" in docs/audit.md.
`)
	}
	return err
}
