package audit

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/attest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// bundleSource returns a bundle as a source. The caller has verified it.
func bundleSource(b *bundle.Bundle) (attest.Source, error) {
	r := attest.Recorded{Count: b.Manifest.Partitions}
	for _, stream := range chain.Streams {
		err := b.Each(stream, func(m proof.Message) error {
			return addRecorded(&r, stream, m)
		})
		if err != nil {
			return nil, fmt.Errorf("read %s of the bundle: %w", stream, err)
		}
	}
	return r, nil
}

// addRecorded adds a message to the record: checkpoints, segments and decisions.
func addRecorded(r *attest.Recorded, stream events.Stream, m proof.Message) error {
	if partition, ends := proof.Partition(m.Subject); ends {
		r.Last = append(r.Last, chain.Head{Stream: stream, Partition: partition, Sequence: m.Sequence, Digest: proof.Head(m.Data)})
		return nil
	}
	stored := strings.HasPrefix(m.Subject, "snap.") || strings.HasPrefix(m.Subject, "skip.")
	if stream == events.StreamSignals || stored {
		return nil
	}
	e, err := events.DecodeMessage(m.Header, m.Data)
	if err != nil {
		return fmt.Errorf("message %d: %w", m.Sequence, err)
	}
	switch {
	case stream == events.StreamDecisions:
		r.Decided = append(r.Decided, e)
	case e.Type == sessionevents.TypeTurnSegmented:
		r.Segmented = append(r.Segmented, attest.Segmented{Session: e.Subject, Data: m.Data})
	}
	return nil
}

// openBundle verifies the bundle to compare with.
func (c *Verify) openBundle(r *cli.Call, known chain.Keys) (attest.Source, error) {
	if _, err := os.Stat(c.Bundle); err != nil {
		return nil, cli.Usage(fmt.Errorf("open the bundle: %w; name a file that `scaffoldwatch export` wrote", err))
	}
	if !bundle.Is(c.Bundle) {
		return nil, cli.Usage(fmt.Errorf("%s is not a bundle; name a file that `scaffoldwatch export` wrote", c.Bundle))
	}
	b, err := bundle.Open(c.Bundle)
	var fault *bundle.Fault
	if errors.As(err, &fault) {
		return nil, fmt.Errorf("%s: %w: %s", c.Bundle, ErrFindings, fault.Error())
	}
	if err != nil {
		return nil, err
	}
	defer b.Close()
	options, err := c.bundleOptions(r, known)
	if err != nil {
		return nil, err
	}
	report, err := b.Verify(options)
	if err != nil {
		return nil, err
	}
	if !report.Verified {
		return nil, fmt.Errorf("%s: %w: %s", c.Bundle, ErrFindings, report.Faults[0].Error())
	}
	return bundleSource(b)
}
