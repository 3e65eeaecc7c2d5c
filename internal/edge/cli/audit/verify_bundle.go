package audit

import (
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

// bundle checks a bundle (AU-11).
func (c *Verify) bundle(r *cli.Call) error {
	if len(c.Anchor) > 0 || c.Live {
		return cli.Usage(errors.New("--anchor and --live go with a running system; a bundle has its anchors in it (export --anchor)"))
	}
	known, err := keys(c.Connection, r)
	if err != nil {
		return err
	}
	signers, err := c.signers(known)
	if err != nil {
		return err
	}
	b, err := bundle.Open(c.File)
	var fault *bundle.Fault
	if errors.As(err, &fault) {
		return fmt.Errorf("%w: %s", ErrFindings, fault.Error())
	}
	if err != nil {
		return err
	}
	report, err := b.Verify(bundle.Options{Keys: known, Known: signers})
	if err != nil {
		return err
	}
	if err := c.printBundle(r, report); err != nil {
		return err
	}
	if !report.Verified {
		return fmt.Errorf("%w: %s", ErrFindings, report.Faults[0].Error())
	}
	return nil
}

// signers are the keys that may sign manifests and anchors.
func (c *Verify) signers(known chain.Keys) (map[string]note.Verifier, error) {
	signers := map[string]note.Verifier{}
	by := append(append([]string{}, c.AnchorKey...), c.Key...)
	for _, of := range known.Trusted {
		by = append(by, of...)
	}
	for _, key := range by {
		var err error
		if signers[key], err = chain.Verifier(key); err != nil {
			return nil, cli.Usage(err)
		}
	}
	return signers, nil
}

func (c *Verify) printBundle(r *cli.Call, report *bundle.Report) error {
	if c.Output == "text" {
		return report.WriteText(r.Stdout)
	}
	encoder := json.NewEncoder(r.Stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(report)
}
