package events_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/gen/contract"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// FuzzEnvelope feeds hostile headers and payloads to the codec in both modes
// (EV-3): it never panics, its errors say what is wrong, and what it accepts
// survives a second trip unchanged.
func FuzzEnvelope(f *testing.F) {
	for _, typ := range slices.Sorted(maps.Keys(contract.Examples())) {
		e := contract.Examples()[typ]
		header, data, err := events.EncodeBinary(e)
		require.NoError(f, err)
		f.Add("ce-specversion", "1.0", header["ce-type"][0], header["ce-id"][0], header["ce-source"][0], header["ce-subject"][0], "ce-time", header["ce-time"][0], data)
		_, data, err = events.EncodeStructured(e)
		require.NoError(f, err)
		f.Add("Content-Type", "application/cloudevents+json", "", "", "", "", "", "", data)
	}
	f.Add("CE-SpecVersion", "1.0", "turn.raw", "%25%zz", "a b", "%ff", "ce-x y", "\xff", []byte(`{"session":"s","turn_id":"t","blocks":null}`))
	f.Add("content-type", "application/cloudevents+json", "", "", "", "", "", "", []byte(`{"specversion":"1.0","id":"1","source":"/","type":"turn.raw","data_base64":"e30=","ext":null,"n":1e400}`))
	f.Fuzz(func(t *testing.T, name, value, typ, id, source, subject, extra, extraValue string, data []byte) {
		header := map[string][]string{
			name: {value}, "ce-type": {typ}, "ce-id": {id}, "ce-source": {source}, "ce-subject": {subject}, extra: {extraValue},
		}
		e, err := events.DecodeMessage(header, data)
		if err != nil {
			var refused *invalid.Error
			require.True(t, errors.As(err, &refused), "untyped error %v", err)
			return
		}
		if events.Validate(e, events.Limits{}) != nil {
			return
		}
		header, data, err = events.EncodeBinary(e)
		require.NoError(t, err)
		again, err := events.DecodeMessage(header, data)
		require.NoError(t, err)
		_, line, err := events.EncodeStructured(e)
		require.NoError(t, err)
		structured, err := events.UnmarshalStructured(line)
		require.NoError(t, err)
		e.Raw, again.Raw, structured.Raw = nil, nil, nil
		requireSame(t, e, again)
		requireSame(t, e, structured)
	})
}

// FuzzParseSubject: what parses is written back as it was, and nothing panics.
func FuzzParseSubject(f *testing.F) {
	for _, e := range contract.Examples() {
		for _, in := range []events.Stream{events.StreamInput, events.StreamDecisions} {
			if subject, err := subjects.StoredSubject(in, e, 16); err == nil {
				f.Add(subject)
			}
		}
	}
	f.Add("ckpt.ingest.3")
	f.Add("snap.ingest.3.g")
	f.Add(subjects.DeadLetterSubject("ingest", 3, "\x00", ">"))
	f.Fuzz(func(t *testing.T, subject string) {
		parsed, err := subjects.ParseSubject(subject)
		if err != nil {
			require.Zero(t, parsed)
			return
		}
		require.Equal(t, subject, parsed.String())
	})
}

// FuzzDecodeData: data is read as the standard library reads it, and refused with its words.
func FuzzDecodeData(f *testing.F) {
	for _, typ := range slices.Sorted(maps.Keys(contract.Examples())) {
		data, err := events.EncodeData(contract.Examples()[typ])
		require.NoError(f, err)
		f.Add(string(typ), data)
	}
	for _, data := range []string{
		`{"SESSION":"s","session":"t"}`, `{"session":"\ud800\uDC00 \ud800 \u0000"}`, "{\"session\":\"\xff\"}", `{"session":null,"turn":1e2,"turn_id":"t"}`,
		`{"turn":1.5}`, `{"blocks":[{"type":"text"},null]}`, `{"blocks":{}}`, `{"usage":{"input_tokens":3},"usage":{"output_tokens":4}}`,
		` {} `, `null`, `[]`, `{"a":01}`, `{"session":"a` + "\n" + `"}`, `{"usage":{"input_tokens":99999999999999999999}}`, `{} {}`,
	} {
		f.Add(string(sessionevents.TypeTurnRaw), []byte(data))
	}
	f.Fuzz(func(t *testing.T, typ string, data []byte) {
		d, known := events.Lookup(events.Type(typ))
		if !known || d.RunEvent { // these are read more tolerantly first
			return
		}
		want := d.New()
		refused := json.Unmarshal(data, want)
		got, err := events.DecodeData(d.Type, data)
		if refused == nil {
			require.NoError(t, err)
			require.Equal(t, want, got)
			return
		}
		var of *invalid.Error
		require.ErrorAs(t, err, &of)
		if wrong := (*time.ParseError)(nil); !errors.As(refused, &wrong) {
			require.Equal(t, refused, of.Err)
		}
	})
}
