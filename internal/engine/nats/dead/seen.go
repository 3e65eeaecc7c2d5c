package dead

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Seen records who acknowledged a dead letter, when and why.
type Seen struct {
	By      string    `json:"by"`
	Why     string    `json:"why"`
	At      time.Time `json:"at"` // when the broker stored it
	Retried bool      `json:"retried,omitempty"`
}

// markOf returns what identifies a letter in an acknowledgement.
func markOf(subject string, data []byte) string {
	sum := sha256.Sum256(append([]byte(subject+"\n"), data...))
	return hex.EncodeToString(sum[:])
}

// Acknowledged returns, by mark, the letters that an operator acknowledged. One whose act cannot be read is reported
// as not acknowledged.
func Acknowledged(ctx context.Context, b *natsengine.Broker) (map[string]Seen, error) {
	found, err := read.Acts(ctx, b, events.StreamSegments, runevents.RecordID, func(m *proof.Message) bool {
		return m.Header.Get("ce-type") == runevents.TypeOperatorAct
	})
	if err != nil {
		return nil, fmt.Errorf("read which dead letters are acknowledged: %w", err)
	}
	seen := map[string]Seen{}
	for _, m := range found {
		var act runevents.OperatorAct
		if json.Unmarshal(m.Data, &act) != nil || act.Act != runevents.ActAcknowledgeLetters {
			continue
		}
		letters, err := runevents.ParseLetters(&act)
		if err != nil {
			continue
		}
		for _, l := range letters.Letters {
			if _, known := seen[l.Mark]; !known {
				seen[l.Mark] = Seen{By: act.By, Why: act.Why, At: m.Time, Retried: l.Retried}
			}
		}
	}
	return seen, nil
}
