package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

// bundle checks a bundle (AU-11).
func (c *Verify) bundle(r *cli.Call) error {
	known, err := keys(c.Connection, r)
	if err != nil {
		return err
	}
	options, err := c.bundleOptions(r, known)
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
	defer b.Close()
	report, err := b.Verify(options)
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

// bundleOptions returns whose signatures count, and the anchors that are not in the bundle.
func (c *Verify) bundleOptions(r *cli.Call, known chain.Keys) (o bundle.Options, err error) {
	by := slices.Concat(c.AnchorKey, c.Key)
	o.Keys = known
	if o.Known, err = verifiers(by, known.Trusted); err != nil {
		return o, err
	}
	o.Anchors, err = readAnchors(r, c.Anchor, by, known)
	return o, err
}

func (c *Verify) printBundle(r *cli.Call, report *bundle.Report) error {
	if c.Output == "text" {
		return report.WriteText(r.Prose())
	}
	encoder := json.NewEncoder(r.Stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(report)
}
