package backup_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// Whoever can edit a backup that nobody signed does not make a restored stream read from
// elsewhere, write there, or give its messages other subjects.
func TestABackupWhoseStreamsPointElsewhereIsRefused(t *testing.T) {
	own := natstest.Run(t)
	s := newSystemOn(t, nil, own, topology.Topology{Partitions: partitions, Intakes: []topology.Intake{{Account: "agents", Messages: 100, Window: 1e9}}})
	_, err := topology.ProvisionOwn(t.Context(), s.broker.JetStream(), s.broker.Topology())
	require.NoError(t, err)
	dir := t.TempDir()
	s.backup(dir)
	edited := func(stream, setting, value string) error {
		edit(t, dir, stream, func(config map[string]json.RawMessage) {
			if old, by, ok := strings.Cut(value, " → "); ok {
				require.Contains(t, string(config[setting]), old)
				value = strings.ReplaceAll(string(config[setting]), old, by)
			}
			config[setting] = json.RawMessage(value)
		})
		_, err := backup.Open(dir, nil)
		return err
	}
	require.NoError(t, edited("INPUT", "sources", "TIMERS → TIMERS"), "the control: only the signature is missing")
	for _, attack := range []struct{ name, stream, setting, value string }{
		{"messages sent on", "INPUT", "republish", `{"dest": "stolen.>"}`},
		{"a copy of another stream", "SIGNALS", "mirror", `{"name": "OTHER"}`},
		{"in another case", "DECISIONS", "Mirror", `{"name": "OTHER"}`},
		{"in letters that fold", "DECISIONS", "\u017fources", `[{"name": "OTHER"}]`},
		{"a source", "DECISIONS", "sources", `[{"name": "TIMERS"}]`},
		{"a source of a bucket", "KV_CONTROL", "sources", `[{"name": "OTHER"}]`},
		{"a source of INPUT", "INPUT", "sources", `[{"name": "OTHER"}]`},
		{"of another account", "INPUT", "sources", `"opt_start_seq" → "external": {"api": "x.API", "deliver": "y"}, "opt_start_seq"`},
		{"in another case there", "INPUT", "sources", `"opt_start_seq" → "External": {"api": "x.API", "deliver": "y"}, "opt_start_seq"`},
		{"delivered elsewhere", "INPUT", "sources", `"opt_start_seq" → "consumer": {"name": "x", "deliver_subject": "stolen"}, "opt_start_seq"`},
		{"a publisher as the operator", "INPUT", "sources", `"dest": "turn.raw. → "dest": "operator.act.`},
		{"other subjects", "DECISIONS", "subject_transform", `{"src": ">", "dest": "stolen.>"}`},
		{"one partition", "INPUT", "subject_transform", `partition(3,3) → partition(1,3)`},
		{"messages that write messages", "INPUT", "allow_msg_schedules", `true`},
	} {
		t.Run(attack.name, func(t *testing.T) {
			before, err := os.ReadFile(filepath.Join(dir, "BACKUP"))
			require.NoError(t, err)
			err = edited(attack.stream, attack.setting, attack.value)
			require.ErrorIs(t, err, backup.ErrManifest)
			require.ErrorContains(t, err, attack.stream)
			require.ErrorContains(t, err, "no stream of scaffoldwatch has")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "BACKUP"), before, 0o600))
		})
	}
}

// What no restore would accept is not backed up without a word.
func TestAStreamThatPointsElsewhereIsNotBackedUp(t *testing.T) {
	s := recorded(t, 20)
	js := s.broker.JetStream()
	stream, err := js.Stream(t.Context(), "DECISIONS")
	require.NoError(t, err)
	config := stream.CachedInfo().Config
	config.RePublish = &jetstream.RePublish{Destination: "copy.>"}
	_, err = js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	_, err = backup.Write(t.Context(), s.broker, t.TempDir(), s.options())
	require.ErrorContains(t, err, `"republish"`)
	require.ErrorContains(t, err, "nats stream edit")
}

// edit changes the configuration of a stream in an unsigned manifest, written as a build
// would write it.
func edit(t *testing.T, dir, stream string, change func(map[string]json.RawMessage)) {
	t.Helper()
	path := filepath.Join(dir, "BACKUP")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	text, _, _ := strings.Cut(string(data), "\n\n— ")
	var m backup.Manifest
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(text, backup.Origin+"\n")), &m))
	for i := range m.Streams {
		if m.Streams[i].Name != stream {
			continue
		}
		config := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(m.Streams[i].Config, &config))
		change(config)
		m.Streams[i].Config, err = json.Marshal(config)
		require.NoError(t, err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	require.NoError(t, encoder.Encode(m))
	require.NoError(t, os.WriteFile(path, append([]byte(backup.Origin+"\n"), out.Bytes()...), 0o600))
}
