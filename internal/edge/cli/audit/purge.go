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
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
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
	// Resumed means that an earlier purge recorded the tombstone, under which this one finishes.
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
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	found, begun, err := c.find(r, broker)
	if err != nil {
		return err
	}
	report := purgeReport{Group: c.Of, By: c.Name(), Why: c.Why, DryRun: c.DryRun, Erased: expected(found)}
	left, more, err := erase.Left(found, begun)
	switch {
	case err != nil:
		return err
	case len(begun) > 0 && !more: // an earlier purge; it is finished as it was recorded
		last := begun[len(begun)-1]
		report.By, report.Why, report.Resumed, found = last.By, last.Why, true, left
		report.Erased = erasures(left)
	}
	if !c.DryRun {
		if err := c.erase(r, broker, &report, found, begun); err != nil {
			return err
		}
	}
	return c.print(r, report)
}

// find returns the recorded messages of the group, and the tombstones that earlier purges left. A session
// of a run cannot be erased alone, because events of its run quote it.
func (c *Purge) find(r *cli.Call, broker *nats.Broker) (found []erase.Belongings, begun []erase.Tombstone, err error) {
	if found, err = erase.Find(r, broker, c.Of, ""); err != nil {
		return nil, nil, err
	}
	begun, err = erase.Tombstones(r, broker, events.StreamSegments, c.Of)
	begun = slices.DeleteFunc(begun, func(t erase.Tombstone) bool { return len(t.Erased) == 0 })
	has := slices.ContainsFunc(found, func(of erase.Belongings) bool { return of.Events > 0 })
	if err != nil || len(begun) > 0 || has {
		return found, begun, err
	}
	group, err := read.GroupOf(r, broker, c.Of)
	if err != nil {
		return nil, nil, err
	}
	if group != "" && group != c.Of {
		return nil, nil, fmt.Errorf("session %s is part of run %s, whose events and state quote it: "+
			"purge the run (scaffoldwatch purge %s)", c.Of, group, group)
	}
	return nil, nil, fmt.Errorf("nothing is recorded of a session or run %s%s", c.Of, listed)
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

// erase announces the purge and commits the tombstone, unless an earlier purge did, and erases what the
// tombstone names.
func (c *Purge) erase(
	r *cli.Call, broker *nats.Broker, report *purgeReport, found []erase.Belongings, begun []erase.Tombstone,
) error {
	if !report.Resumed || len(found) > 0 {
		nc, err := c.permitted(r, fmt.Sprintf("permanently erase %s (%s)", c.Of, counts(report.Erased)))
		if err != nil {
			return err
		}
		if !report.Resumed {
			if found, err = c.entomb(r, broker, nc, report, found); err != nil {
				return err
			}
			begun = []erase.Tombstone{{ContentPurged: runevents.ContentPurged{Erased: report.Erased}}}
		}
	}
	if err := c.overwrite(r, broker, found); err != nil {
		return err
	}
	return c.uncontrolled(r, broker, report, begun)
}

// permitted asks, and returns a connection with the operator's credential.
func (c *Purge) permitted(r *cli.Call, act string) (*nats.Conn, error) {
	asks, err := c.Asks(r)
	if err != nil {
		return nil, err
	}
	if !asks && !c.Yes {
		if err := cli.Confirm(r, act, ", or with --yes"); err != nil {
			return nil, err
		}
	}
	as, err := c.AsOperator(r, act)
	if err != nil {
		return nil, err
	}
	_, nc, err := as.Open(r)
	return nc, err
}

// entomb announces the purge, records the tombstone, and returns what it names.
func (c *Purge) entomb(
	r *cli.Call, broker *nats.Broker, nc *nats.Conn, report *purgeReport, found []erase.Belongings,
) ([]erase.Belongings, error) {
	announced, err := c.record(r, broker, nc, c.ids(found), nil)
	if err != nil {
		return nil, err
	}
	if found, err = erase.Find(r, broker, c.Of, announced.ID); err != nil {
		return nil, err
	}
	report.Erased = erasures(found)
	shown, err := showing(r, broker, []erase.Tombstone{{ContentPurged: runevents.ContentPurged{Erased: report.Erased}}})
	if err != nil {
		return nil, err
	}
	report.Keys = len(shown)
	_, err = c.record(r, broker, nc, c.ids(found), report.Erased)
	return found, err
}

// showing returns the keys of CONTROL that show a decision which tombstones name.
func showing(r *cli.Call, broker *nats.Broker, begun []erase.Tombstone) ([]string, error) {
	var named proof.Ranges
	for _, t := range begun {
		some, err := erase.Named(string(events.StreamDecisions), t.ContentPurged)
		if err != nil {
			return nil, err
		}
		named = named.With(some...)
	}
	return control.Showing(r, broker, named)
}

// uncontrolled waits until CONTROL shows nothing that was erased: the dispatcher removes it when it reads
// the tombstone, or when it starts.
func (c *Purge) uncontrolled(r *cli.Call, broker *nats.Broker, report *purgeReport, begun []erase.Tombstone) error {
	for deadline := now().Add(stagePatience); ; {
		keys, err := showing(r, broker, begun)
		if err != nil || len(keys) == 0 {
			return err
		}
		report.Keys = max(report.Keys, len(keys))
		if !now().Before(deadline) {
			return fmt.Errorf("%s is erased, but CONTROL still shows %s: the dispatcher removes it when it runs",
				c.Of, strings.Join(keys, ", "))
		}
		select {
		case <-r.Done():
			return r.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
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
		return fmt.Errorf("%w; its tombstone is recorded: run the same command again, or restart `scaffoldwatch up`, "+
			"to erase the rest", err)
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
	return fmt.Sprintf("%s: %s", text.Count(messages, "message"), strings.Join(places, ", "))
}

func (c *Purge) print(r *cli.Call, report purgeReport) error {
	if c.Output == "json" {
		report.Erased = append([]runevents.Erasure{}, report.Erased...) // a list, also where nothing was left
		encoder := json.NewEncoder(r.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	}
	if report.Resumed && len(report.Erased) == 0 {
		_, err := fmt.Fprintf(r.Prose(), "%s was erased by %s (%q); nothing of it is left\n",
			report.Group, terminal.Clean(report.By), terminal.Clean(report.Why))
		return err
	}
	if c.DryRun {
		_, err := fmt.Fprintf(r.Prose(), "would erase %s: %s, and its rows, reports, notifications and control states; nothing is changed\n", report.Group, counts(report.Erased))
		return err
	}
	_, err := fmt.Fprintf(r.Prose(), `erased %s: %s, %s
The reporter removes its rows, reports and notifications when it reads the tombstone.
Earlier backups, bundles and the agent's own transcript may still hold it. Replaced state
snapshots remain in the broker's files, compressed, until it compacts them.
`, report.Group, counts(report.Erased), text.Count(report.Keys, "control state"))
	if err == nil && report.Resumed {
		_, err = fmt.Fprint(r.Stdout, `An earlier purge of it was interrupted. If the broker itself was killed at that moment, the
message that it was erasing is deleted, but may not be overwritten in its files: see
"Not erased" in docs/audit.md.
`)
	}
	return err
}
