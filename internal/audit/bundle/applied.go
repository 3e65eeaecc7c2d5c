package bundle

import (
	"context"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// appliedFolder holds the entries of the bucket RULES for each configuration hash in the bundle's events,
// in the form in which they are stored there (AU-12).
const appliedFolder = "applied/"

// applied adds the entries of the recorded configuration hashes.
func (w *writing) applied(ctx context.Context, add func(name string, data []byte) error) error {
	if w.Applied == nil {
		return nil
	}
	var known []string
	for _, of := range w.Manifest.Recorded {
		if of.Config == "" || slices.Contains(known, of.Config) {
			continue
		}
		known = append(known, of.Config)
		data, err := w.Applied(ctx, of.Config)
		if err != nil {
			return fmt.Errorf("read the rules of configuration %s: %w", of.Config, err)
		}
		if data == nil {
			continue
		}
		if err := add(appliedFolder+of.Config, data); err != nil {
			return err
		}
	}
	return nil
}

// Applied returns the entry of RULES for a configuration hash at the time of the export, nil if there was
// none. Decoding it computes the hash again.
func (b *Bundle) Applied(hash string) ([]byte, error) {
	return b.read(appliedFolder+hash, maxManifest)
}

// Configurations returns the configuration hash under which a stage recorded each group: that of the first
// event that the stage derived itself.
func (b *Bundle) Configurations(stage string) (map[string]string, error) {
	of := map[string]string{}
	written := events.Stream("")
	for _, stream := range Streams {
		if subjects.StageOf(stream) == stage {
			written = stream
		}
	}
	err := b.Each(written, func(m proof.Message) error {
		at, ok := placeOf(m.Subject)
		if hash := m.Header.Get("ce-confighash"); ok && at.Kind == subjects.KindStored && hash != "" && of[at.Group] == "" {
			of[at.Group] = hash
		}
		return nil
	})
	return of, err
}
