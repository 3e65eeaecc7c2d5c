package bundle

import (
	"context"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// appliedFolder holds what the bucket RULES has under each configuration hash that events
// of the bundle name, in the form in which it is stored there (AU-12).
const appliedFolder = "applied/"

// applied adds what the recorded configuration hashes name.
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

// Applied returns what RULES held under a configuration hash at the export, nil for
// nothing. Whoever decodes it computes the hash again.
func (b *Bundle) Applied(hash string) ([]byte, error) {
	return b.read(appliedFolder+hash, maxManifest)
}

// Configurations returns under which configuration hash a stage recorded each group: that
// of the first event that it derived itself.
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
