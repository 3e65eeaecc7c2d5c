package source

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// What lies in a stream is read without a panic, whatever it is.
func FuzzStoredMessage(f *testing.F) {
	f.Add("turn.raw.1.g.s", "1.0", "turn.raw", []byte(`{"session":"s"}`))
	f.Add("", "", "", []byte(nil))
	f.Add("a.b", "1.0", "timer.set", []byte(`[]`))
	f.Fuzz(func(t *testing.T, subject, version, typ string, data []byte) {
		header := map[string][]string{"ce-specversion": {version}, "ce-type": {typ}, "ce-id": {"i"}, "ce-source": {"/s"}, "ce-subject": {"s"}}
		record := inputRecord(proof.Message{Subject: subject, Header: header, Data: data, Sequence: 1})
		require.Len(t, record.Hash(), 64)
		proof.Partition(subject)
	})
}
