package audit

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Keys groups the commands about the keys that sign checkpoints and anchors.
type Keys struct {
	New    keysNewCommand    `cmd:"" help:"Make a signing key."`
	Rotate keysRotateCommand `cmd:"" help:"Record that another key signs a stage's checkpoints from now on."`
	List   keysListCommand   `cmd:"" default:"withargs" help:"List the keys that signed what is recorded."`
}

type keysNewCommand struct {
	File string `arg:"" help:"File for the seed; it must not exist." type:"path"`
}

// Help gives examples.
func (keysNewCommand) Help() string {
	return `Writes the seed of a new key to a file of mode 0600 and prints the public key.

Examples:
  scaffoldwatch keys new ingest.seed
  scaffoldwatch keys new auditor.seed`
}

// Run makes the key.
func (c *keysNewCommand) Run(r *cli.Call) error {
	key, err := nkeys.CreateAccount()
	if err != nil {
		return fmt.Errorf("create a key: %w", err)
	}
	defer key.Wipe()
	seed, err := key.Seed()
	if err != nil {
		return fmt.Errorf("create a key: %w", err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return fmt.Errorf("create a key: %w", err)
	}
	if err := create(c.File, append(seed, '\n'), 0o600); err != nil {
		return cli.Usage(fmt.Errorf("write the seed: %w", err))
	}
	_, err = fmt.Fprintln(r.Stdout, public)
	return err
}

type keysRotateCommand struct {
	cli.Connection
	Stage string `arg:"" help:"Stage whose key is replaced." enum:"ingest,evaluator,dispatcher"`
	Next  string `help:"File with the seed of the next key." required:"" type:"path" placeholder:"FILE"`
}

// Help lists the steps in order.
func (keysRotateCommand) Help() string {
	return `Writes a checkpoint into each partition of the stage in which the key of
security.signing_seed names the next key, so that "verify" follows the change. Afterwards
the stage does not start with the old key.

  1. scaffoldwatch keys new ingest-2.seed
  2. add the public key to security.trusted_keys of every service and reader, restart them
  3. stop every instance of the stage
  4. scaffoldwatch --config ingest.yaml keys rotate ingest --next ingest-2.seed
  5. set security.signing_seed to the new seed and start the stage

The old key stays in security.trusted_keys as long as what it signed is kept. If it was
stolen, also name it in security.revoked_keys.

Examples:
  scaffoldwatch --config ingest.yaml keys rotate ingest --next ingest-2.seed`
}

// Run records the successor.
func (c *keysRotateCommand) Run(r *cli.Call) error {
	seed, err := os.ReadFile(c.Next)
	if err != nil {
		return cli.Usage(fmt.Errorf("read the next key: %w; `scaffoldwatch keys new FILE` makes one", err))
	}
	next, err := nkeys.ParseDecoratedNKey(seed)
	if err != nil {
		return cli.Usage(fmt.Errorf("read the next key: %s contains no nkey seed; `scaffoldwatch keys new FILE` creates one", c.Next))
	}
	public, err := next.PublicKey()
	if err != nil {
		return fmt.Errorf("read the public part of the next key: %w", err)
	}
	if err := c.another(r, public); err != nil {
		return err
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	if trusted := broker.Keys().Trusted[c.Stage]; len(trusted) > 0 && !slices.Contains(trusted, public) {
		return cli.Usage(fmt.Errorf("security.trusted_keys does not hold %s=%s: readers would reject what it signs; add it to every service and reader first", c.Stage, public))
	}
	if err := c.stopped(r, broker); err != nil {
		return err
	}
	partitions, err := commit.NameSuccessor(r, broker, c.Stage, public)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.Prose(), "%s signs %s from now on (%s); start the stage with security.signing_seed: %s\n", public, c.Stage, text.Count(partitions, "partition"), c.Next)
	return err
}

// another rejects a key that would replace itself.
func (c *keysRotateCommand) another(r *cli.Call, next string) error {
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	known, err := link.Keys(settings.Security)
	if err != nil {
		return cli.Usage(err)
	}
	if known.Own == nil {
		return nil
	}
	if own, err := known.Own.PublicKey(); err != nil || own == next {
		return cli.Usage(fmt.Errorf("%s is the key of security.signing_seed already; name another with --next (`scaffoldwatch keys new FILE` makes one), and the stage's present configuration with --config", next))
	}
	return nil
}

// stopped fails if the stage runs, because its next batch would fail. "up" is exempt, as its broker ends
// with it.
func (c *keysRotateCommand) stopped(r *cli.Call, broker *nats.Broker) error {
	running, err := keep.Running(r, broker)
	if err != nil {
		return err
	}
	if slices.Contains(running, keep.InputReader) {
		fmt.Fprintf(r.Stderr, "%s runs, in `scaffoldwatch up` or otherwise, and decides nothing more until it is restarted with security.signing_seed: %s\n", c.Stage, c.Next)
	}
	running = slices.DeleteFunc(running, func(instance string) bool { return !strings.HasPrefix(instance, c.Stage+" ") })
	if len(running) > 0 {
		return fmt.Errorf("%s runs (%s), so its key was not replaced: stop every instance and run this again; one that was killed counts as running for some seconds", c.Stage, strings.Join(running, ", "))
	}
	return nil
}

type keysListCommand struct {
	cli.Connection
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help gives examples.
func (keysListCommand) Help() string {
	return `Reads the streams and prints each key that signed checkpoints, from when to when, and
whether the configuration trusts it. It exits with code 1 if an untrusted key signed.

Examples:
  scaffoldwatch keys list
  scaffoldwatch keys list --output json`
}

// keyUse is a key of a stream.
type keyUse struct {
	Stream     string    `json:"stream"`
	Key        string    `json:"key"`
	State      string    `json:"state"`
	Since      time.Time `json:"since"`
	Until      time.Time `json:"until"`
	Partitions int       `json:"partitions"`
}

// Run prints the keys.
func (c *keysListCommand) Run(r *cli.Call) error {
	known, err := keys(c.Connection, r)
	if err != nil {
		return err
	}
	report, err := Verified(c.Connection, r, nil)
	if err != nil {
		return err
	}
	uses := keyUses(report, known)
	if c.Output == "json" {
		return cli.Indented(r.Stdout, uses)
	}
	for _, u := range uses {
		fmt.Fprintf(r.Stdout, "%-9s  %-56s  %-12s  %s to %s  %s\n", u.Stream, u.Key, u.State, u.Since.UTC().Format(time.RFC3339), u.Until.UTC().Format(time.RFC3339), text.Count(u.Partitions, "partition"))
	}
	for _, f := range report.Findings {
		if f.Kind == chain.ForgedCheckpoint || f.Kind == chain.EditedCheckpoint || f.Kind == chain.RevokedKey || f.Kind == chain.ReplacedKey || f.Kind == chain.UnrecordedKey {
			return fmt.Errorf("%w: %s; see `scaffoldwatch verify`", ErrFindings, f)
		}
	}
	return nil
}

// keyUses aggregates the keys of a report by stream.
func keyUses(report *chain.Report, known chain.Keys) []keyUse {
	uses := []keyUse{}
	for _, s := range report.Streams {
		for _, p := range s.Partitions {
			for _, u := range p.Keys {
				i := slices.IndexFunc(uses, func(k keyUse) bool { return k.Stream == string(s.Name) && k.Key == named(u.Key) })
				if i < 0 {
					uses = append(uses, keyUse{Stream: string(s.Name), Key: named(u.Key), State: known.State(s.Name, u.Key), Since: u.Since, Until: u.Until})
					i = len(uses) - 1
				}
				uses[i].Partitions++
				if u.Since.Before(uses[i].Since) {
					uses[i].Since = u.Since
				}
				if u.Until.After(uses[i].Until) {
					uses[i].Until = u.Until
				}
			}
		}
	}
	return uses
}

func named(key string) string {
	if key == "" {
		return "(unsigned)"
	}
	return key
}
