package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/attest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

// Verify checks everything that the stages recorded.
type Verify struct {
	cli.Operated
	cli.Author
	cli.Reason
	Anchor     []string `help:"Anchors that must be part of today's chain." placeholder:"FILE" type:"path" sep:"none"`
	AnchorKey  []string `help:"Public nkeys that sign anchors, in addition to those of security.trusted_keys." placeholder:"KEY"`
	File       string   `arg:"" optional:"" help:"Attestation, bundle or backup to check instead of the running system; - for an attestation on stdin." type:"path"`
	Key        []string `help:"Public nkeys that sign attestations, in addition to those of security.trusted_keys." placeholder:"KEY"`
	Live       bool     `help:"Also derive the attestation's verdict again from the running system."`
	Bundle     string   `help:"Also derive the attestation's verdict again from this bundle (scaffoldwatch export) or backup, offline." type:"path" placeholder:"FILE"`
	Commit     []string `help:"Commits that the attestation must be about, as full ids." placeholder:"SHA"`
	Output     string   `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
	Partitions bool     `help:"Also print a line for each partition."`
	// Acknowledge is a place, see [chain.ParsePlace].
	Acknowledge string `help:"Record, as the operator, that the damage at this place is known: all, STREAM, STREAM/SEQUENCE or STREAM/FIRST-LAST." placeholder:"PLACE"`
}

// Help explains what is checked.
func (Verify) Help() string {
	return `Reads SEGMENTS, SIGNALS and DECISIONS from the first message kept and checks each batch:
its checkpoint, signature, place and link to the batch before, the digest of every event,
and that the next stream refers to checkpoints that exist. Each fault is a line with stream,
partition, sequence and what it is: an edited, erased, moved or forged event; an edited,
forged or copied checkpoint; a dropped or moved batch; a cut, rewritten or recreated stream;
a key that was replaced or revoked. It changes nothing and can run alongside a live system.

A removed end of DECISIONS, or an older backup of all streams, shows only with an anchor
that was made before (scaffoldwatch anchor). What is not proven is printed too.

What is left of a batch that a stage could not finish writing (a full disk) is named and is
no fault once the stage has committed its events again. Damage that you know the cause of is
acknowledged with --acknowledge and --why. It takes the operator's credential and is recorded
in the chain; later verifications, anchor, attest, backup and restore go on, and each
verification names it. A later fault, also one in the same place, is found.

With a file it checks an attestation instead (scaffoldwatch attest), offline: envelope,
signature, statement and verdict. Each fault names its place in the file. With --bundle or
--live it also derives the verdict again from what is recorded and compares; with --commit
it must be about that commit. With a bundle (scaffoldwatch export) it checks, offline too,
that the file is whole and that each event is what a stage committed at its place. With the
directory of a backup it checks every file of it and the chains that it holds.

Exit codes: 0 all of it is verified, 1 something was found or the system could not be read,
2 usage, or a file is missing.

Examples:
  scaffoldwatch verify
  scaffoldwatch verify --anchor monday.anchor --anchor tuesday.anchor
  scaffoldwatch verify --acknowledge DECISIONS/302 --why 'disk full on 2026-11-28'
  scaffoldwatch verify payments.bundle
  scaffoldwatch verify head.att --key ADXAGI5A3FVT5V5NVNZA5J3KEGRR3QQHYC3B25W75ZZZ6KVJBSQ2NTDU
  scaffoldwatch verify head.att --bundle payments.bundle
  git notes --ref=scaffoldwatch show HEAD | scaffoldwatch verify - --commit "$(git rev-parse HEAD)"
  scaffoldwatch verify --output json | jq -r '.findings[] | [.stream, .partition, .sequence, .kind] | @tsv'`
}

// ErrFindings is returned when verification finds a fault.
var ErrFindings = errors.New("not verified")

// Run verifies and prints the report.
func (c *Verify) Run(r *cli.Call) error {
	if c.Acknowledge != "" {
		if c.File != "" {
			return cli.Usage(errors.New("--acknowledge is about the running system: a file keeps what was recorded when it was made"))
		}
		if err := c.Check("verify --acknowledge " + c.Acknowledge); err != nil {
			return err
		}
		if _, err := chain.ParsePlace(c.Acknowledge); err != nil {
			return cli.Usage(err)
		}
	}
	isBundle, isBackup := bundle.Is(c.File), backup.Is(c.File)
	if c.File != "" && !isBundle && !isBackup {
		return c.file(r)
	}
	if c.Live || c.Bundle != "" || len(c.Commit) > 0 {
		return cli.Usage(errors.New("--live, --bundle and --commit require an attestation: name its file"))
	}
	if isBundle {
		return c.bundle(r)
	}
	if isBackup {
		return c.backup(r)
	}
	_, anchors, err := trusted(c.Connection, r, c.Anchor, c.AnchorKey)
	if err != nil {
		return err
	}
	report, err := Verified(c.Connection, r, anchors)
	if err == nil && c.Acknowledge != "" {
		if err = c.acknowledge(r, report); err == nil {
			report, err = Verified(c.Connection, r, anchors)
		}
	}
	if err != nil {
		return err
	}
	if err := c.print(r, report); err != nil {
		return err
	}
	if !report.Verified {
		return fmt.Errorf("%w: %s", ErrFindings, report.Findings[0])
	}
	return nil
}

// file checks a file instead of the running system.
func (c *Verify) file(r *cli.Call) error {
	const wanted = "an attestation, a bundle, the directory of a backup, or nothing to verify all that is recorded"
	if info, err := os.Stat(c.File); err == nil && info.IsDir() {
		return cli.Usage(fmt.Errorf("%s is a directory without a finished backup; name %s", c.File, wanted))
	}
	data, err := readFile(r, c.File, wanted)
	if err != nil {
		return err
	}
	if attest.Is(data) {
		return c.attestation(r, data)
	}
	if chain.IsAnchor(data) {
		return cli.Usage(fmt.Errorf("%s is an anchor: check the running system against it with --anchor %[1]s", inputName(c.File)))
	}
	if c.File == "-" {
		return cli.Usage(errors.New("standard input holds no attestation (scaffoldwatch attest); name a bundle or a backup as a file"))
	}
	return cli.Usage(fmt.Errorf("%s is neither a bundle (scaffoldwatch export), an attestation (scaffoldwatch attest) nor a backup (scaffoldwatch backup)", c.File))
}

func (c *Verify) print(r *cli.Call, report *chain.Report) error {
	if c.Output == "text" {
		return report.WriteText(r.Prose(), c.Partitions)
	}
	return cli.Readable(r.Stdout, report)
}

// bundle checks a bundle (AU-11).
func (c *Verify) bundle(r *cli.Call) error {
	options, err := c.bundleOptions(r)
	if err != nil {
		return err
	}
	b, report, err := openBundle(c.File, options)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := c.printBundle(r, report); err != nil {
		return err
	}
	if !report.Verified {
		return fmt.Errorf("%w: %s", ErrFindings, report.Faults[0].Error())
	}
	return nil
}

// bundleOptions returns whose signatures count, and the anchors that are not in the bundle.
func (c *Verify) bundleOptions(r *cli.Call) (o bundle.Options, err error) {
	by := slices.Concat(c.AnchorKey, c.Key)
	if o.Keys, o.Anchors, err = trusted(c.Connection, r, c.Anchor, by); err != nil {
		return o, err
	}
	o.Known, err = verifiers(by, o.Keys.Trusted)
	return o, err
}

func (c *Verify) printBundle(r *cli.Call, report *bundle.Report) error {
	if c.Output == "text" {
		return report.WriteText(r.Prose())
	}
	return cli.Readable(r.Stdout, report)
}

// comparedBundle verifies the bundle to compare with.
func (c *Verify) comparedBundle(r *cli.Call) (record.Source, []chain.Head, error) {
	if _, err := os.Stat(c.Bundle); err != nil {
		return nil, nil, cli.Usage(fmt.Errorf("open the bundle: %w; name a file that `scaffoldwatch export` wrote", err))
	}
	if !bundle.Is(c.Bundle) {
		return nil, nil, cli.Usage(fmt.Errorf("%s is not a bundle; name a file that `scaffoldwatch export` wrote", c.Bundle))
	}
	options, err := c.bundleOptions(r)
	if err != nil {
		return nil, nil, err
	}
	b, report, err := openBundle(c.Bundle, options)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.Bundle, err)
	}
	context.AfterFunc(r, b.Close)
	if !report.Verified {
		return nil, nil, fmt.Errorf("%s: %w: %s", c.Bundle, ErrFindings, report.Faults[0].Error())
	}
	heads, err := b.Heads(r)
	return record.Bundle(b), heads, err
}

// openBundle opens a bundle and verifies it.
func openBundle(file string, o bundle.Options) (*bundle.Bundle, *bundle.Report, error) {
	b, err := bundle.Open(file)
	var fault *bundle.Fault
	if errors.As(err, &fault) {
		return nil, nil, fmt.Errorf("%w: %s", ErrFindings, fault.Error())
	}
	if err != nil {
		return nil, nil, err
	}
	report, err := b.Verify(o)
	if err != nil {
		b.Close()
		return nil, nil, err
	}
	return b, report, nil
}
