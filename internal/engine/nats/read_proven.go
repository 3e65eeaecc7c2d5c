package nats

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Checkpoint ends every batch that a stage commits, see [proof.Checkpoint].
type Checkpoint = proof.Checkpoint

type (
	message = proof.Message
	store   = proof.Store
)

// Reasons for which a message is not accepted, see [proof].
const (
	ReasonNoCheckpoint = proof.ReasonNoCheckpoint
	ReasonSignature    = proof.ReasonSignature
	ReasonCopied       = proof.ReasonCopied
	ReasonChain        = proof.ReasonChain
	ReasonOutside      = proof.ReasonOutside
	ReasonContent      = proof.ReasonContent
	ReasonType         = proof.ReasonType
	ReasonTimer        = proof.ReasonTimer
	ReasonErased       = proof.ReasonErased
	ReasonCut          = proof.ReasonCut
)

// store returns the store of a stream, which reads single messages.
func (b *Broker) store(ctx context.Context, name events.Stream) (*store, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.stores[name]; known != nil {
		return known, nil
	}
	stream, err := b.js.Stream(ctx, string(name))
	if err != nil {
		return nil, fmt.Errorf("look up stream %s: %w", name, err)
	}
	b.stores[name] = proof.NewCurrentStore(stream, b.js)
	return b.stores[name], nil
}
