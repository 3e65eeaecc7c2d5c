// Package audit holds the commands that prove, replay and export the record.
package audit

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// keys returns the keys that the configuration trusts and revokes.
func keys(c cli.Connection, r *cli.Call) (chain.Keys, error) {
	settings, err := c.Settings(r)
	if err != nil {
		return chain.Keys{}, err
	}
	known, err := link.Keys(settings.Security)
	if err != nil {
		return chain.Keys{}, cli.Usage(err)
	}
	return chain.Keys{Trusted: known.Trusted, Revoked: known.Revoked}, nil
}

// Verified verifies the running system.
func Verified(c cli.Connection, r *cli.Call, anchors []chain.Anchor) (*chain.Report, error) {
	known, err := keys(c, r)
	if err != nil {
		return nil, err
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return nil, err
	}
	bar := &bars{out: r}
	defer bar.done()
	report, err := chain.Verify(r, record.Running(broker), chain.Options{
		Partitions: broker.Topology().Partitions, Keys: known, Anchors: anchors, Progress: bar.at,
	})
	if err == nil && len(report.Purged) > 0 {
		lookForRest(r, broker, report)
	}
	return report, err
}

// lookForRest adds to a report what tombstones name and the streams still hold (AU-40).
func lookForRest(ctx context.Context, broker *nats.Broker, report *chain.Report) {
	all, err := erase.Unfinished(ctx, broker)
	if err != nil {
		report.Limits = append(report.Limits, fmt.Sprintf("whether all that tombstones name is gone: %v", err))
	}
	for _, rest := range all {
		for i := range report.Purged {
			last := !slices.ContainsFunc(report.Purged[i+1:], func(p chain.Purged) bool { return p.Group == rest.Group })
			if report.Purged[i].Group == rest.Group && last {
				report.Purged[i].Left = erasures(rest.Left)
			}
		}
	}
}

// bars shows one progress bar for each stream.
type bars struct {
	out  *cli.Call
	of   events.Stream
	bar  *terminal.Progress
	read uint64
}

func (b *bars) at(stream events.Stream, read, of uint64) {
	if stream != b.of {
		b.done()
		b.of, b.read, b.bar = stream, 0, terminal.NewProgress(b.out.Stderr, string(stream), int64(of), false)
	}
	b.bar.Add(int64(read - b.read))
	b.read = read
}

func (b *bars) done() {
	if b.bar != nil {
		b.bar.Done()
	}
}

// verifiedSource verifies a running system and opens it for attestations.
func verifiedSource(c cli.Connection, r *cli.Call) (record.Source, []chain.Head, error) {
	report, err := Verified(c, r, nil)
	if err != nil {
		return nil, nil, err
	}
	if !report.Verified {
		return nil, nil, fmt.Errorf("%w, so nothing is attested: %s; see `scaffoldwatch verify`", ErrFindings, report.Findings[0])
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return nil, nil, err
	}
	return record.Running(broker), report.Heads(), nil
}

// trusted returns the keys that the configuration trusts, and anchors that are signed by one of those or of
// the given keys.
func trusted(c cli.Connection, r *cli.Call, files, by []string) (known chain.Keys, all []chain.Anchor, err error) {
	if known, err = keys(c, r); err == nil {
		all, err = readAnchors(r, files, by, known)
	}
	return known, all, err
}

// readAnchors opens anchors that are signed by one of the given keys or the trusted ones.
func readAnchors(r *cli.Call, files, by []string, keys chain.Keys) (all []chain.Anchor, err error) {
	known, err := verifiers(by, keys.Trusted)
	if err != nil {
		return nil, err
	}
	if len(files) > 0 && len(known) == 0 {
		return nil, cli.Usage(fmt.Errorf("no key to check the anchors with: name the public key that signed them with --anchor-key, or in security.trusted_keys"))
	}
	for _, file := range files {
		data, err := readFile(r, file, anAnchor)
		if err != nil {
			return nil, fmt.Errorf("read the anchor: %w", err)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			return nil, cli.Usage(fmt.Errorf("read the anchor: %s is empty; name %s", inputName(file), anAnchor))
		}
		read, err := chain.OpenAnchors(data, known, keys)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", inputName(file), err)
		}
		for i := range read {
			read[i].File = file
		}
		all = append(all, read...)
	}
	return all, nil
}

const anAnchor = "a file that `scaffoldwatch anchor` wrote"

// inputName returns the name of a file for a message, - for standard input.
func inputName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// now returns the time of an anchor.
func now() time.Time { return time.Now() }
