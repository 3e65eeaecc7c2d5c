package events_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/gen/contract"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// EV-1: every type survives both modes, and the jsonl line, unchanged.
func TestEveryTypeRoundTrips(t *testing.T) {
	for typ, want := range contract.Examples() {
		t.Run(string(typ), func(t *testing.T) {
			header, data, err := events.EncodeBinary(want)
			require.NoError(t, err)
			for name := range header {
				require.Equal(t, strings.ToLower(name), name)
			}
			got, err := events.DecodeMessage(header, data)
			require.NoError(t, err)
			requireSame(t, want, got)

			header, data, err = events.EncodeStructured(want)
			require.NoError(t, err)
			require.NotContains(t, string(data), "\n")
			got, err = events.DecodeMessage(header, data)
			require.NoError(t, err)
			requireSame(t, want, got)

			again, err := events.MarshalStructured(got)
			require.NoError(t, err)
			require.Equal(t, string(data), string(again), "a second encoding differs")
		})
	}
}

// requireSame compares envelope and data; data as JSON, since a decoded any is
// not the Go value that was written.
func requireSame(t *testing.T, want, got events.Event) {
	t.Helper()
	require.IsType(t, want.Data, got.Data)
	wantData, err := events.EncodeData(events.Event{Type: want.Type, Data: want.Data})
	require.NoError(t, err)
	gotData, err := events.EncodeData(events.Event{Type: got.Type, Data: got.Data})
	require.NoError(t, err)
	require.JSONEq(t, string(wantData), string(gotData))
	want.Data, got.Data, got.Raw = nil, nil, nil
	require.Equal(t, want, got)
}

// The golden files show every field of their type, so that a reader sees the
// whole of it. Left out are fields that exclude each other.
func TestExamplesAreFull(t *testing.T) {
	excluded := map[string]bool{
		"Turn.Text": true, "Turn.Native": true, // beside Blocks
		"Disposition.Into":     true,                                 // only of signal.coalesced
		"HookChanged.Restored": true, "HookInstalled.Restored": true, // only of hook.removed
	}
	for typ, e := range contract.Examples() {
		v := reflect.ValueOf(e.Data).Elem()
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			require.True(t, excluded[name] || !v.Field(i).IsZero(), "the example of %s leaves out %s", typ, name)
		}
	}
}

// EV-3: fields this version does not know survive, at any depth.
func TestUnknownFieldsAreKept(t *testing.T) {
	line := `{"specversion":"1.0","id":"1","source":"/h","type":"turn.raw","subject":"s","futureext":"kept","data":
		{"session":"s","turn_id":"t","mood":{"deep":[1,2.50,"x"]},
		 "blocks":[{"type":"text","text":"hi","lang":"en"}],"usage":{"input_tokens":3,"gpu":true},"agent":"bare-id"}}`
	e, err := events.UnmarshalStructured([]byte(line))
	require.NoError(t, err)
	require.NoError(t, events.Validate(e, events.Limits{}))
	require.Equal(t, "bare-id", e.Data.(*sessionevents.Turn).Agent.ID)
	require.Equal(t, map[string]string{"futureext": "kept"}, e.Extensions)

	turn := *e.Data.(*sessionevents.Turn)
	turn.Usage = &sessionevents.Usage{InputTokens: 4}
	turn.Blocks = []sessionevents.Block{{Type: sessionevents.BlockText, Text: "redacted"}}
	e.Data = &turn
	data, err := events.EncodeData(e)
	require.NoError(t, err)
	require.Equal(t, `{"session":"s","turn_id":"t","agent":{"id":"bare-id"},"blocks":[{"type":"text","text":"redacted","lang":"en"}],`+
		`"usage":{"input_tokens":4,"gpu":true},"mood":{"deep":[1,2.50,"x"]}}`, string(data))

	turn.Blocks = nil // what the type knows comes from Data alone
	data, err = events.EncodeData(e)
	require.NoError(t, err)
	require.NotContains(t, string(data), "blocks")

	e.Data = nil
	data, err = events.EncodeData(e)
	require.NoError(t, err)
	require.Equal(t, string(e.Raw), string(data), "without Data, Raw is passed on as it is")
}

func TestRequiredListsAreNeverNull(t *testing.T) {
	closing := &sessionevents.TurnEvaluated{Session: "s", Turn: 1}
	data, err := events.EncodeData(events.Event{Type: sessionevents.TypeTurnEvaluated, Data: closing})
	require.NoError(t, err)
	require.Contains(t, string(data), `"signals":[]`)
	require.Nil(t, closing.Signals, "the caller's data was changed")
}

func TestBinaryHeadersInAnyCase(t *testing.T) {
	e, err := events.DecodeMessage(map[string][]string{
		"CE-SpecVersion": {"1.0"}, "Ce-Id": {"1"}, "cE-sOURCE": {"/h"}, "CE-TYPE": {"session.closed"}, "Ce-Subject": {"s%C3%A9"},
		"Content-Type": {"application/json; charset=utf-8"}, "Nats-Msg-Id": {"x"}, "Ce-Time": {"2026-11-20T10:30:00.5+01:00"},
		"Ce-CausationID": {"c"}, "Ce-Own": {"100%"},
	}, []byte(`{"session":"s"}`))
	require.NoError(t, err)
	require.Equal(t, events.Event{
		ID: "1", Source: "/h", Type: "session.closed", Subject: "sé", CausationID: "c", Extensions: map[string]string{"own": "100%"},
		Time: time.Date(2026, 11, 20, 9, 30, 0, 500_000_000, time.UTC),
		Data: &sessionevents.SessionClosed{Session: "s"}, Raw: json.RawMessage(`{"session":"s"}`),
	}, e)
}

func TestPercentEncoding(t *testing.T) {
	e := contract.Examples()[sessionevents.TypeSessionClosed]
	e.ID = `a "b" 100% é🚀`
	e.Extensions = map[string]string{"note": "line\nend"}
	header, data, err := events.EncodeBinary(e)
	require.NoError(t, err)
	require.Equal(t, []string{"a%20%22b%22%20100%25%20%C3%A9%F0%9F%9A%80"}, header["ce-id"])
	require.Equal(t, []string{"line%0Aend"}, header["ce-note"])
	got, err := events.DecodeMessage(header, data)
	require.NoError(t, err)
	require.Equal(t, e.ID, got.ID)
	require.Equal(t, e.Extensions, got.Extensions)
}

func TestDecodeRefuses(t *testing.T) {
	binary := func(extra ...string) map[string][]string {
		h := map[string][]string{"ce-specversion": {"1.0"}, "ce-id": {"1"}, "ce-source": {"/h"}, "ce-type": {"session.closed"}, "ce-subject": {"s"}}
		for i := 0; i < len(extra); i += 2 {
			h[extra[i]] = append(h[extra[i]], extra[i+1])
		}
		return h
	}
	for name, c := range map[string]struct {
		header map[string][]string
		data   string
		code   invalid.Code
	}{
		"no headers":              {nil, `{}`, invalid.NotCloudEvent},
		"structured without type": {nil, `{"specversion":"1.0","id":"1","source":"/h","type":"x"}`, invalid.NotCloudEvent},
		"batch":                   {map[string][]string{"Content-Type": {"application/cloudevents-batch+json"}}, `[]`, invalid.NotCloudEvent},
		"other version":           {map[string][]string{"ce-specversion": {"0.3"}}, `{}`, invalid.NotCloudEvent},
		"twice":                   {binary("Ce-Id", "2"), `{"session":"s"}`, invalid.BadAttribute},
		"bad time":                {binary("ce-time", "yesterday"), `{"session":"s"}`, invalid.BadAttribute},
		"bad source":              {map[string][]string{"ce-specversion": {"1.0"}, "ce-id": {"1"}, "ce-source": {"%25zz"}, "ce-type": {"session.closed"}}, `{}`, invalid.BadAttribute},
		"xml":                     {binary("ce-datacontenttype", "text/xml"), `<a/>`, invalid.BadAttribute},
		"not json":                {binary(), `{`, invalid.BadData},
		"wrong shape":             {binary(), `{"session":7}`, invalid.BadData},
		"no data":                 {binary(), ``, invalid.BadData},
		"not one document":        {map[string][]string{"content-type": {"application/cloudevents+json"}}, `{} {}`, invalid.NotCloudEvent},
		"structured array":        {map[string][]string{"content-type": {"application/cloudevents+json"}}, `[]`, invalid.NotCloudEvent},
		"structured empty":        {map[string][]string{"content-type": {"application/cloudevents+json"}}, `{}`, invalid.NotCloudEvent},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := events.DecodeMessage(c.header, []byte(c.data))
			var refused *invalid.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.code, refused.Code, err)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// EV-3: what cannot be decoded still has a name for the dead letter.
func TestErrorKeepsEnvelope(t *testing.T) {
	e, err := events.DecodeMessage(map[string][]string{
		"ce-specversion": {"1.0"}, "ce-id": {"1"}, "ce-source": {"/h"}, "ce-type": {"session.closed"}, "ce-subject": {"s"},
	}, []byte(`{"session":7}`))
	require.Error(t, err)
	require.Equal(t, "1", e.ID)
	require.Equal(t, events.Type(sessionevents.TypeSessionClosed), e.Type)
	require.JSONEq(t, `{"session":7}`, string(e.Raw))
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	e, err := events.DecodeMessage(map[string][]string{
		"ce-specversion": {"1.0"}, "ce-id": {"1"}, "ce-source": {"/h"}, "ce-type": {"session.closed"}, "ce-subject": {"s"},
	}, []byte("{\"session\":\"s\",\"reason\":\"a\xff\"}"))
	require.NoError(t, err)
	require.Equal(t, "a\uFFFD", e.Data.(*sessionevents.SessionClosed).Reason)
	require.JSONEq(t, `{"session":"s","reason":"a�"}`, string(e.Raw))
	require.NoError(t, events.Validate(e, events.Limits{}))
}

// EV-4: a session's event that names its run belongs to the run's partition.
func TestRunBecomesThePartitionKey(t *testing.T) {
	e, err := events.UnmarshalStructured([]byte(`{"specversion":"1.0","id":"1","source":"/h","type":"turn.raw","subject":"s","data":{"session":"s","turn_id":"t","run":"r"}}`))
	require.NoError(t, err)
	require.Equal(t, "r", e.Group())
	require.Equal(t, "r", e.Correlation)
}

func TestEncodeRefusesForeignData(t *testing.T) {
	for _, data := range []any{&sessionevents.Turn{}, sessionevents.SessionClosed{}, (*sessionevents.SessionClosed)(nil), map[string]any{}} {
		_, err := events.EncodeData(events.Event{Type: sessionevents.TypeSessionClosed, Data: data})
		var refused *invalid.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, invalid.BadData, refused.Code)
	}
}

func TestUrgencyIsWrittenWithOneDecimal(t *testing.T) {
	line, err := os.ReadFile(filepath.Join("testdata", "interrupt.fired.json"))
	require.NoError(t, err)
	require.Contains(t, string(line), `"urgency": 4.0,`)
}

func BenchmarkEncodeBinary(b *testing.B) {
	e := contract.Examples()[sessionevents.TypeInterruptFired]
	for b.Loop() {
		if _, _, err := events.EncodeBinary(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeBinary(b *testing.B) {
	header, data, err := events.EncodeBinary(contract.Examples()[sessionevents.TypeInterruptFired])
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := events.DecodeMessage(header, data); err != nil {
			b.Fatal(err)
		}
	}
}

// SW-7: the error about a wrong time does not quote it, since it may be a secret.
func TestAWrongTimeIsNotQuoted(t *testing.T) {
	_, err := events.DecodeData(events.TypeTimerSet, []byte(`{"name":"x","due":"not-a-time"}`))
	require.ErrorContains(t, err, "a time is not in RFC 3339 format")
	require.NotContains(t, err.Error(), "not-a-time")
}
