package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	auditrecord "github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// exported writes everything that was recorded into one bundle. The baseline reads the
// same streams once, DECISIONS twice, and looks at nothing (AU-11).
func exported(ctx context.Context, p *pipeline) error {
	var bare time.Duration
	for _, stream := range append([]events.Stream{events.StreamDecisions}, bundle.Streams...) {
		_, took, err := bareRead(ctx, p.js, string(stream))
		if err != nil {
			return err
		}
		bare += took
	}
	packed := &written{}
	began := time.Now()
	m, err := bundle.Write(ctx, packed, auditrecord.Running(p.broker), bundle.Export{Manifest: bundle.Manifest{Partitions: subjects.DefaultPartitions}})
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	size := 0.0
	for _, f := range m.Files {
		size += float64(f.Size)
	}
	fmt.Printf("  export of everything: %.0f MB/s (%.0f MB of events, %.1f MB packed; aim: at least 20 MB/s), %.2f of reading alone\n",
		size/took/1e6, size/1e6, float64(packed.bytes)/1e6, bare.Seconds()/took)
	return nil
}

// written counts what is written.
type written struct{ bytes int64 }

func (w *written) Write(p []byte) (int, error) {
	w.bytes += int64(len(p))
	return io.Discard.Write(p)
}
