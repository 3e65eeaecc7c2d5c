package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Anchor signs the heads of all streams.
type Anchor struct {
	cli.Connection
	Key string `help:"File of the nkey seed to sign with; default: security.signing_seed." type:"path" placeholder:"FILE"`
	Out string `help:"Write the anchor to this file, which must not exist, instead of stdout." type:"path" placeholder:"FILE"`
}

// Help explains what an anchor is good for.
func (Anchor) Help() string {
	return `Verifies the streams and prints a signed note of the last checkpoint of every partition.
Keep it where nobody with write access to the broker's disk can change it: another machine, a
ticket, a Git commit. Later, "verify --anchor FILE" proves that all of it is still part of the chain.
It is a signed note (golang.org/x/mod/sumdb/note) and readable as text.

Examples:
  scaffoldwatch anchor --key auditor.seed --out monday.anchor
  scaffoldwatch anchor | git notes --ref=scaffoldwatch-anchors append --file=- HEAD`
}

// Run prints or writes the anchor.
func (c *Anchor) Run(r *cli.Call) error {
	key, err := signingKey(c.Connection, r, c.Key)
	if err != nil {
		return err
	}
	signer, err := chain.Signer(key)
	if err != nil {
		return err
	}
	report, err := Verified(c.Connection, r, nil)
	if err != nil {
		return err
	}
	if !report.Verified {
		return fmt.Errorf("%w, so nothing was signed: %s; see `scaffoldwatch verify`", ErrFindings, report.Findings[0])
	}
	signed, err := chain.NewAnchor(report, now()).Sign(signer)
	if err != nil {
		return err
	}
	if c.Out == "" {
		_, err = r.Stdout.Write(signed)
		return err
	}
	if err := create(c.Out, signed, 0o644); err != nil {
		return fmt.Errorf("write the anchor: %w", err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return fmt.Errorf("read the public part of the key: %w", err)
	}
	_, err = fmt.Fprintf(r.Prose(), "anchored %s in %s, signed by %s\n", text.Count(len(report.Heads()), "head"), c.Out, public)
	return err
}

// signingKey returns the key to sign with; without one, it is an error.
func signingKey(c cli.Connection, r *cli.Call, file string) (nkeys.KeyPair, error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, err
	}
	key, err := ownKey(settings, file)
	if err == nil && key == nil {
		err = cli.Usage(errors.New("nothing to sign with: name a seed with --key FILE (make one with `scaffoldwatch keys new FILE`), or set security.signing_seed"))
	}
	return key, err
}

// ownKey returns the key in a file, or else that of security.signing_seed; nil if neither is named.
func ownKey(settings config.Config, file string) (nkeys.KeyPair, error) {
	if file != "" {
		settings.Security.SigningSeed = file
	}
	known, err := link.Keys(settings.Security)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return known.Own, nil
}

// create writes a new file; it fails if the file exists.
func create(name string, data []byte, mode os.FileMode) error {
	file, err := newFile(name, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// newFile opens a new file for writing; it fails if the file exists.
func newFile(name string, mode os.FileMode) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; name another file", err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; create the directory first, or name another file", err)
	}
	return file, err
}
