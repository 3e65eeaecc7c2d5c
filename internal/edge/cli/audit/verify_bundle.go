package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

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
