package audit

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/dustin/go-humanize"
	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Backup copies all streams into a directory.
type Backup struct {
	cli.Operated
	Key       string `help:"File of the nkey seed to sign with; default: security.signing_seed." type:"path" placeholder:"FILE"`
	Quick     bool   `help:"Skip reading back what was written, and trust the files of earlier backups."`
	Output    string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
	Directory string `arg:"" name:"dir" help:"Directory of the backup: missing, empty, or that of an earlier backup." type:"path"`
}

// Help explains what is copied and what is not.
func (Backup) Help() string {
	return `Copies every stream with its messages, sequences and times while the system runs, by the
snapshots of the broker, and reads it all again: each file, and the chain of every stage. The
copies of the streams fit together: a restored system continues where it was and decides
nothing twice.

A second backup into the same directory writes only what has changed. The directory is the
earlier backup until the new one is complete and verified, also if it is killed. Afterwards
what is no longer part of it is removed, purged sessions among it.

It holds raw input as long as INPUT does, and so perhaps secrets: its files are readable by
their owner only. Not in it: private keys (security.signing_seed, security.fingerprint_key,
credentials), which you keep elsewhere; the configuration; the read model, reports and the
outbox of notifications. The public keys that are trusted are in it.

Needs nats-server 2.15 or newer, which "up" has. As for all that shows raw input, a person
must confirm it; scripts need --operator, or nats.user of an administrator.

It is signed with --key, else with security.signing_seed. Where security.trusted_keys names
keys, restore refuses a backup that none of them signed.

Exit codes: 0 complete and verified, 1 not; what is recorded but does not verify is in the
backup all the same, and said.

Examples:
  scaffoldwatch backup /backups/scaffoldwatch
  scaffoldwatch backup /backups/scaffoldwatch --operator operator.nk
  scaffoldwatch backup /backups/scaffoldwatch --key backup.seed
  scaffoldwatch verify /backups/scaffoldwatch --anchor monday.anchor
  scaffoldwatch restore /backups/scaffoldwatch --data ./data`
}

// Run makes the backup.
func (c *Backup) Run(r *cli.Call) error {
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	options, err := backupOptions(settings, c.Key)
	if err != nil {
		return err
	}
	if err := c.permitted(r); err != nil {
		return err
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Directory, 0o700); err != nil {
		return fmt.Errorf("create the directory of the backup: %w; name one in a directory that you may write to", err)
	}
	held, err := embedded.Hold(c.Directory)
	if err != nil {
		return err
	}
	defer held.Close()
	bar := &bars{out: r}
	options.Quick = c.Quick
	options.Progress = func(stream string, done, of uint64) { bar.at(events.Stream(stream), done, of) }
	result, err := backup.Write(r, broker, c.Directory, options)
	bar.done()
	if err != nil {
		return err
	}
	if err := c.print(r, result); err != nil {
		return err
	}
	if result.Signer == "" && len(result.Keys.Trusted) > 0 {
		fmt.Fprintln(r.Stderr, "scaffoldwatch: "+unsignedBackup)
	}
	if result.Unverified != "" {
		return fmt.Errorf("%w, but the backup is complete: %s; see `scaffoldwatch verify`", ErrFindings, result.Unverified)
	}
	return nil
}

// permitted asks the person for confirmation and logs in with the operator's credential.
func (c *Backup) permitted(r *cli.Call) error {
	return operatorOnly(r, c.Operated, "copy the whole record, including raw input, to "+c.Directory)
}

// operatorOnly fails unless a person can log in as the operator.
func operatorOnly(r *cli.Call, of cli.Operated, act string) error {
	as, err := of.AsOperator(r, act)
	if err != nil {
		return err
	}
	_, _, err = as.Open(r)
	return err
}

// backupOptions reads the options from the configuration.
func backupOptions(settings config.Config, key string) (o backup.Options, err error) {
	known, err := link.Keys(settings.Security)
	if err != nil {
		return o, cli.Usage(err)
	}
	if o.Known, err = verifiers(nil, known.Trusted); err != nil {
		return o, err
	}
	own, err := ownKey(settings, key)
	if err != nil {
		return o, err
	}
	if own != nil {
		if o.Signer, err = chain.Signer(own); err != nil {
			return o, err
		}
		public, err := own.PublicKey()
		if err != nil {
			return o, fmt.Errorf("read the public part of the key: %w", err)
		}
		o.By = public
		if o.Known[public], err = chain.Verifier(public); err != nil { // for the earlier backup in the directory
			return o, err
		}
	}
	o.Keys = chain.Keys{Trusted: known.Trusted, Revoked: known.Revoked}
	o.Build, o.Now = buildinfo.Version(), now()
	return o, nil
}

// verifiers returns verifiers of notes for the given keys and the trusted ones.
func verifiers(by []string, trusted map[string][]string) (map[string]note.Verifier, error) {
	known := map[string]note.Verifier{}
	by = slices.Clone(by)
	for _, of := range trusted {
		by = append(by, of...)
	}
	for _, key := range by {
		var err error
		if known[key], err = chain.Verifier(key); err != nil {
			return nil, cli.Usage(err)
		}
	}
	return known, nil
}

// unsignedBackup warns about a backup that the same configuration would not restore.
const unsignedBackup = "the backup is not signed, although security.trusted_keys names keys: " +
	"anybody who can write to its directory can change it, and restore rejects it without --unverified; " +
	"sign it with --key FILE, a seed whose public key is trusted"

func (c *Backup) print(r *cli.Call, result *backup.Result) error {
	if c.Output == "json" {
		return cli.Readable(r.Stdout, result)
	}
	for i, s := range result.Streams {
		was := result.Copied[i]
		changed := fmt.Sprintf("%d of %s written, %s", was.Blocks, text.Count(s.Blocks, "block"), humanize.Bytes(uint64(was.Bytes)))
		if was.Unchanged {
			changed = "unchanged"
		}
		fmt.Fprintf(r.Prose(), "%-12s %s through %d: %s\n", s.Name, text.Count(int(s.Messages), "message"), s.Last, changed)
	}
	fmt.Fprintln(r.Prose(), "not in it: private keys (security.signing_seed, security.fingerprint_key, credentials), the configuration, what is derived from DECISIONS")
	state := "not signed (no security.signing_seed and no --key)"
	if result.Signer != "" {
		state = "signed by " + result.Signer
	}
	if result.Report == nil {
		state += ", not read back"
	} else if result.Unverified == "" {
		state += ", verified: " + result.Report.Counts()
	}
	_, err := fmt.Fprintf(r.Prose(), "backup %s in %s: %s\n", result.ID(), c.Directory, state)
	return err
}

// backup checks a backup.
func (c *Verify) backup(r *cli.Call) error {
	known, anchors, err := trusted(c.Connection, r, c.Anchor, c.AnchorKey)
	if err != nil {
		return err
	}
	b, report, err := readBackup(r, c.File, known, backupReading{signers: c.Key, anchors: anchors})
	if err != nil {
		return err
	}
	extra, err := b.Extra()
	if err != nil {
		return err
	}
	addExtra(report, extra)
	if c.Output == "text" {
		fmt.Fprintf(r.Prose(), "backup %s of %s, %s\n", b.ID(), b.Made.Format("2006-01-02T15:04:05Z"), signedBy(b))
	}
	if err := c.print(r, report); err != nil {
		return err
	}
	if !report.Verified {
		return fmt.Errorf("%w: %s", ErrFindings, report.Findings[0])
	}
	return nil
}

// addExtra reports what the directory holds beside the backup.
func addExtra(report *chain.Report, extra backup.Extra) {
	const listed = 20
	for i, name := range extra.Foreign[:min(len(extra.Foreign), listed)] {
		f := chain.Finding{Kind: chain.ForeignFile, File: name, Partition: chain.WholeStream, What: notOfBackup}
		if i == listed-1 {
			f.More = len(extra.Foreign) - listed
		}
		report.Findings = append(report.Findings, f)
		report.Verified = false
	}
	if n := extra.Unfinished; n > 0 {
		report.Limits = append(report.Limits, text.Count(n, "file")+" of a backup that was interrupted or is in progress: restore does not read them, the next `scaffoldwatch backup` into this directory uses or removes them")
	}
}

const notOfBackup = "it is not part of the backup, so nothing proves it and restore does not read it: remove it from this directory"

func signedBy(b *backup.Backup) string {
	if b.Signer == "" {
		return "not signed"
	}
	return "signed by " + b.Signer
}

// backupReading configures how a backup is read.
type backupReading struct {
	signers  []string // keys that sign backups, in addition to the trusted ones
	anchors  []chain.Anchor
	unsigned bool // a signature may be missing
}

const otherCopy = "use another copy of the backup, or make a new one"

// readBackup opens a backup and reads all of it.
func readBackup(r *cli.Call, dir string, known chain.Keys, o backupReading) (*backup.Backup, *chain.Report, error) {
	signers, err := verifiers(o.signers, known.Trusted)
	if err != nil {
		return nil, nil, err
	}
	b, err := backup.Open(dir, signers)
	if errors.Is(err, backup.ErrManifest) {
		return nil, nil, fmt.Errorf("%w; %s", err, otherCopy)
	}
	if err != nil {
		return nil, nil, err
	}
	if why := b.Proven(known); len(signers) > 0 && why != nil && !o.unsigned {
		return nil, nil, fmt.Errorf("%w: the backup does not count: %w", ErrFindings, why)
	}
	bar := &bars{out: r}
	defer bar.done()
	report, err := b.Verify(r, backup.Reading{
		Keys: known, Anchors: o.anchors, Progress: func(stream string, done, of uint64) { bar.at(events.Stream(stream), done, of) },
	})
	var damage *backup.Damage
	if errors.As(err, &damage) {
		return nil, nil, fmt.Errorf("%w: %w; %s", ErrFindings, err, otherCopy)
	}
	return b, report, err
}
