package audit

import (
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
	Linked bool   `help:"Also erase other runs that its sessions belong to, with all their sessions."`
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
forget it. So is what its sessions did before they named a run, and the sessions of their
subagents. A tombstone with who, when, why, counts and digests is left in the chain, so that
"scaffoldwatch verify" accounts for what is missing. It cannot be undone. What agents
publish afterwards under the same id is recorded as new: end the session first.

Not erased: earlier backups, exported bundles, the agent's own transcript, messages already
sent to people, and compressed state snapshots that were replaced before; these the broker
overwrites when it next compacts its files.

Examples:
  scaffoldwatch purge csv-export --dry-run
  scaffoldwatch purge csv-export --why 'request 4711'
  scaffoldwatch purge csv-export --why 'request 4711' --linked
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
	// Linked are other groups that held something of it, and are erased with it.
	Linked []purgeReport `json:"linked,omitempty"`
}

// purging is the purge of one group.
type purging struct {
	purgeReport
	found []erase.Belongings
	begun []read.Tombstone // of earlier purges
}

// done reports whether nothing of the group is left to erase.
func (p *purging) done() bool { return p.Resumed && len(p.found) == 0 }

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
	of, err := c.plan(r, broker, c.Of)
	if err != nil {
		return err
	}
	all, err := c.linked(r, broker, of)
	if err != nil {
		return err
	}
	if of.recorded() || len(all) == 0 {
		all = append(all, of) // last: if this is interrupted, the others are found again
	}
	if !c.DryRun {
		if err := c.erase(r, broker, all); err != nil {
			return err
		}
	}
	for _, one := range all {
		if one != of {
			of.Linked = append(of.Linked, one.purgeReport)
		}
	}
	return c.print(r, of.purgeReport)
}

// recorded reports whether the group has, or had, events.
func (p *purging) recorded() bool { return len(p.begun) > 0 || recorded(p.found) }

func recorded(found []erase.Belongings) bool {
	return slices.ContainsFunc(found, func(of erase.Belongings) bool { return of.Events > 0 })
}

// plan returns what is to be erased of a group.
func (c *Purge) plan(r *cli.Call, broker *nats.Broker, group string) (*purging, error) {
	found, err := erase.Find(r, broker, group, "")
	if err != nil {
		return nil, err
	}
	begun, err := read.Tombstones(r, broker, events.StreamSegments, group)
	if err != nil {
		return nil, err
	}
	begun = slices.DeleteFunc(begun, func(t read.Tombstone) bool { return len(t.Erased) == 0 })
	of := &purging{found: found, begun: begun, purgeReport: purgeReport{
		Group: group, By: c.Name(), Why: c.Why, DryRun: c.DryRun, Erased: expected(found),
	}}
	left, more, err := erase.Left(found, begun)
	switch {
	case err != nil:
		return nil, err
	case len(begun) > 0 && !more: // an earlier purge; it is finished as it was recorded
		last := begun[len(begun)-1]
		of.By, of.Why, of.Resumed, of.found = last.By, last.Why, true, left
		of.Erased = erasures(left)
	}
	return of, nil
}

// linked returns the other groups that hold something of what is purged: events of its sessions from when no run was
// named, and sessions of their subagents. A run that its sessions belong to as well is erased only if that is wanted,
// because its events and state are about other sessions, too.
func (c *Purge) linked(r *cli.Call, broker *nats.Broker, of *purging) (all []*purging, err error) {
	groups, err := erase.Linked(r, broker, c.Of, of.ids())
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 && !of.recorded() {
		return nil, fmt.Errorf("nothing is recorded of a session or run %s%s", c.Of, listed)
	}
	for _, g := range groups {
		switch {
		case g.Own || c.Linked:
		case of.recorded():
			return nil, fmt.Errorf("session %s is also part of run %s, whose events and state quote it: "+
				"add --linked to erase run %s with all its sessions as well", g.Of, g.Group, g.Group)
		default:
			return nil, fmt.Errorf("session %s is part of run %s, whose events and state quote it: "+
				"purge the run (scaffoldwatch purge %s)", g.Of, g.Group, g.Group)
		}
		one, err := c.plan(r, broker, g.Group)
		if err != nil {
			return nil, err
		}
		if one.recorded() && !one.done() {
			all = append(all, one)
		}
	}
	return all, nil
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

// erase announces each purge and commits its tombstone, unless an earlier purge did, and erases what the
// tombstone names.
func (c *Purge) erase(r *cli.Call, broker *nats.Broker, all []*purging) error {
	var what []string
	for _, of := range all {
		if !of.done() {
			what = append(what, fmt.Sprintf("%s (%s)", of.Group, counts(of.Erased)))
		}
	}
	var nc *nats.Conn
	if len(what) > 0 {
		var err error
		if nc, err = c.permitted(r, "permanently erase "+strings.Join(what, " and ")); err != nil {
			return err
		}
	}
	for _, of := range all {
		if !of.Resumed {
			if err := c.entomb(r, broker, nc, of); err != nil {
				return err
			}
			of.begun = []read.Tombstone{{ContentPurged: runevents.ContentPurged{Erased: of.Erased}}}
		}
		if err := c.overwrite(r, broker, of.found); err != nil {
			return err
		}
		if err := c.uncontrolled(r, broker, of); err != nil {
			return err
		}
	}
	return nil
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

// entomb announces the purge, and records the tombstone of what is found then.
func (c *Purge) entomb(r *cli.Call, broker *nats.Broker, nc *nats.Conn, of *purging) error {
	announced, err := c.record(r, broker, nc, of, nil)
	if err != nil {
		return err
	}
	if of.found, err = erase.Find(r, broker, of.Group, announced.ID); err != nil {
		return err
	}
	of.Erased = erasures(of.found)
	shown, err := showing(r, broker, []read.Tombstone{{ContentPurged: runevents.ContentPurged{Erased: of.Erased}}})
	if err != nil {
		return err
	}
	of.Keys = len(shown)
	_, err = c.record(r, broker, nc, of, of.Erased)
	return err
}

// showing returns the keys of CONTROL that show a decision which tombstones name.
func showing(r *cli.Call, broker *nats.Broker, begun []read.Tombstone) ([]string, error) {
	var named proof.Ranges
	for _, t := range begun {
		some, err := read.Named(string(events.StreamDecisions), t.ContentPurged)
		if err != nil {
			return nil, err
		}
		named = named.With(some...)
	}
	return control.Showing(r, broker, named)
}

// uncontrolled waits until CONTROL shows nothing that was erased: the dispatcher removes it when it reads
// the tombstone, or when it starts.
func (c *Purge) uncontrolled(r *cli.Call, broker *nats.Broker, of *purging) error {
	for deadline := now().Add(stagePatience); ; {
		keys, err := showing(r, broker, of.begun)
		if err != nil || len(keys) == 0 {
			return err
		}
		of.Keys = max(of.Keys, len(keys))
		if !now().Before(deadline) {
			return fmt.Errorf("%s is erased, but CONTROL still shows %s: the dispatcher removes it when it runs",
				of.Group, strings.Join(keys, ", "))
		}
		select {
		case <-r.Done():
			return r.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ids returns the sessions and runs that the messages are, or were, about.
func (p *purging) ids() []string {
	ids := []string{p.Group}
	for _, of := range p.found {
		ids = append(ids, of.IDs...)
	}
	for _, t := range p.begun {
		ids = append(ids, t.IDs...)
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
func (c *Purge) record(
	r *cli.Call, broker *nats.Broker, nc *nats.Conn, of *purging, erased []runevents.Erasure,
) (events.Event, error) {
	at := now().UTC()
	e := events.Event{
		Type: runevents.TypeContentPurged, Subject: of.Group, PartitionKey: of.Group, Time: at,
		ID:   events.DerivedID("purge", of.Group, at.Format(time.RFC3339Nano), len(erased)),
		Data: &runevents.ContentPurged{By: c.Name(), Why: c.Why, IDs: of.ids(), Erased: erased},
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
		return cli.Indented(r.Stdout, report)
	}
	what, states := fmt.Sprintf("%s: %s", report.Group, counts(report.Erased)), report.Keys
	for _, one := range report.Linked {
		what += fmt.Sprintf("; %s: %s", one.Group, counts(one.Erased))
		states += one.Keys
	}
	if report.Resumed && len(report.Erased) == 0 && len(report.Linked) == 0 {
		_, err := fmt.Fprintf(r.Prose(), "%s was erased by %s (%q); nothing of it is left\n",
			report.Group, terminal.Clean(report.By), terminal.Clean(report.Why))
		return err
	}
	if c.DryRun {
		_, err := fmt.Fprintf(r.Prose(), "would erase %s, and its rows, reports, notifications and control states; nothing is changed\n", what)
		return err
	}
	_, err := fmt.Fprintf(r.Prose(), `erased %s, %s
The reporter removes its rows, reports and notifications when it reads the tombstone.
Earlier backups, bundles and the agent's own transcript may still hold it. Replaced state
snapshots remain in the broker's files, compressed, until it compacts them.
`, what, text.Count(states, "control state"))
	if err == nil && report.Resumed {
		_, err = fmt.Fprint(r.Stdout, `An earlier purge of it was interrupted. If the broker itself was killed at that moment, the
message that it was erasing is deleted, but may not be overwritten in its files: see
"Not erased" in docs/audit.md.
`)
	}
	return err
}
