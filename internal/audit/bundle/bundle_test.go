package bundle_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const partitions = 2

// brief is a session that has no turns after the second batch, late one that has none before
// the fourth.
const (
	brief = "brief"
	late  = "late"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// recorded is a chain of three streams, made by hand: a message of each of the sessions a
// turn, in batches of two turns.
type recorded struct {
	t        testing.TB
	key      nkeys.KeyPair
	salt     string
	keys     map[events.Stream]nkeys.KeyPair // in place of key
	messages map[events.Stream][]proof.Message
	fences   map[events.Stream]map[int]uint64
	heads    map[events.Stream]map[int]string
}

func record(t testing.TB, key nkeys.KeyPair, salt string, sessions ...string) *recorded {
	t.Helper()
	r := empty(t, key, salt)
	r.work(0, 5, sessions...)
	return r
}

// empty returns a system that recorded nothing yet.
func empty(t testing.TB, key nkeys.KeyPair, salt string) *recorded {
	t.Helper()
	r := &recorded{t, key, salt, map[events.Stream]nkeys.KeyPair{}, map[events.Stream][]proof.Message{}, map[events.Stream]map[int]uint64{}, map[events.Stream]map[int]string{}}
	for _, s := range bundle.Streams {
		r.fences[s], r.heads[s] = map[int]uint64{}, map[int]string{}
	}
	return r
}

// work records some of the batches.
func (r *recorded) work(from, to int, sessions ...string) {
	r.t.Helper()
	for batch := from; batch < to; batch++ {
		for _, s := range bundle.Streams {
			for partition := range partitions {
				r.batch(s, partition, batch, sessions)
			}
		}
	}
}

func (r *recorded) batch(stream events.Stream, partition, batch int, sessions []string) {
	var hashes [][32]byte
	var marks []byte
	for turn := 2 * batch; turn < 2*batch+2; turn++ {
		for _, session := range sessions {
			if subjects.Partition(session, partitions) != partition || session == brief && batch > 1 || session == late && batch < 3 {
				continue
			}
			m := r.message(stream, session, turn)
			hash := m.Hash()
			hashes, marks = append(hashes, hash), append(marks, hash[:proof.MarkSize]...)
			r.messages[stream] = append(r.messages[stream], m)
		}
	}
	stage := subjects.StageOf(stream)
	c := proof.Checkpoint{
		Version: 1, Stage: stage, Partition: partition, Source: string(subjects.SourceOf(stage)), Fence: r.fences[stream][partition],
		Count: len(hashes), Outputs: len(hashes), Digest: proof.Digest(hashes), Marks: marks, Previous: r.heads[stream][partition],
		Position: engine.Position{Sequence: uint64(10 * (batch + 1))},
	}
	if source := subjects.SourceOf(stage); source != events.StreamInput {
		c.Position = engine.Position{Sequence: r.fences[source][partition], Anchor: r.fences[source][partition], Head: r.heads[source][partition]}
	}
	r.seal(stream, c)
}

// seal signs a checkpoint and stores it.
func (r *recorded) seal(stream events.Stream, c proof.Checkpoint) {
	key := r.key
	if r.keys[stream] != nil {
		key = r.keys[stream]
	}
	data, err := c.Seal(key)
	require.NoError(r.t, err)
	own := uint64(len(r.messages[stream]) + 1)
	r.messages[stream] = append(r.messages[stream], proof.Message{Subject: subjects.CheckpointSubject(c.Stage, c.Partition), Data: data, Sequence: own, Time: noon})
	r.fences[stream][c.Partition], r.heads[stream][c.Partition] = own, proof.Head(data)
}

func (r *recorded) message(stream events.Stream, session string, turn int) proof.Message {
	e := events.Event{
		ID: fmt.Sprintf("%s-%s-%d", stream, session, turn), Source: "/test", Type: sessionevents.TypeTurnEvaluated, Subject: session, Time: noon,
		RulesVersion: "1", ConfigHash: "c", Data: &sessionevents.TurnEvaluated{Session: session, Turn: turn + 1},
	}
	if stream == events.StreamSegments {
		e.Type, e.Data = sessionevents.TypeTurnSegmented, &sessionevents.TurnSegmented{
			Session: session, Turn: turn + 1, TurnID: fmt.Sprint(turn), Segments: []sessionevents.Segment{{Kind: sessionevents.SegmentPlan, Text: "plan " + r.salt}},
		}
	}
	subject, err := subjects.StoredSubject(stream, e, partitions)
	require.NoError(r.t, err)
	header, data, err := events.EncodeBinary(e)
	require.NoError(r.t, err)
	return proof.Message{Subject: subject, Header: header, Data: data, Sequence: uint64(len(r.messages[stream]) + 1), Time: noon.Add(time.Duration(turn) * time.Minute)}
}

// Stream implements chain.Source.
func (r *recorded) Stream(_ context.Context, name events.Stream) (proof.Stream, error) {
	return proof.Stream{Name: name, First: 1, Last: uint64(len(r.messages[name])), Kept: uint64(len(r.messages[name]))}, nil
}

// Each implements chain.Source.
func (r *recorded) Each(_ context.Context, name events.Stream, through uint64, take func(proof.Message) error) error {
	for _, m := range r.messages[name] {
		if m.Sequence > through {
			return nil
		}
		if err := take(m); err != nil {
			return err
		}
	}
	return nil
}

func newKey(t testing.TB) (nkeys.KeyPair, string) {
	t.Helper()
	key, err := nkeys.CreateAccount()
	require.NoError(t, err)
	public, err := key.PublicKey()
	require.NoError(t, err)
	return key, public
}

// auditor returns who trusts the keys given.
func auditor(t testing.TB, public ...string) bundle.Options {
	t.Helper()
	o := bundle.Options{Known: map[string]note.Verifier{}, Keys: chain.Keys{Trusted: map[string][]string{"ingest": public, "evaluator": public, "dispatcher": public}}}
	for _, key := range public {
		v, err := chain.Verifier(key)
		require.NoError(t, err)
		o.Known[key] = v
	}
	return o
}

func export(t testing.TB, r *recorded, selection bundle.Selection, signed bool) []byte {
	t.Helper()
	e := bundle.Export{Selection: selection, Manifest: bundle.Manifest{Partitions: partitions, Rules: "1"}, Rules: []byte("session: {}\n")}
	if signed {
		signer, err := chain.Signer(r.key)
		require.NoError(t, err)
		e.Signer = signer
	}
	var out bytes.Buffer
	_, err := bundle.Write(t.Context(), &out, r, e)
	require.NoError(t, err)
	return out.Bytes()
}

// entry is a file of an unpacked bundle.
type entry struct {
	name string
	data []byte
	link string // of a symbolic link
	mode int64  // 0: 0o644
}

func unpack(t testing.TB, packed []byte) (all []entry) {
	t.Helper()
	in, err := zstd.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	defer in.Close()
	archive := tar.NewReader(in)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		data, err := io.ReadAll(archive)
		require.NoError(t, err)
		all = append(all, entry{name: h.Name, data: data})
	}
}

func pack(t testing.TB, all []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	packed, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<17))
	require.NoError(t, err)
	archive := tar.NewWriter(packed)
	for _, e := range all {
		h := &tar.Header{Name: e.name, Mode: cmp.Or(e.mode, 0o644), Size: int64(len(e.data))}
		if e.link != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.link
		}
		require.NoError(t, archive.WriteHeader(h))
		_, err := archive.Write(e.data)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, packed.Close())
	return out.Bytes()
}

// again recomputes what the manifest says of the files, as an attacker would.
func again(t testing.TB, all []entry) []entry {
	t.Helper()
	var m bundle.Manifest
	require.NoError(t, json.Unmarshal(all[0].data, &m))
	for i, f := range m.Files {
		at := slices.IndexFunc(all, func(e entry) bool { return e.name == f.Name })
		sum := sha256.Sum256(all[at].data)
		m.Files[i].Size, m.Files[i].SHA256 = int64(len(all[at].data)), hex.EncodeToString(sum[:])
		if f.Stream != "" {
			m.Files[i].Messages = bytes.Count(all[at].data, []byte("\n"))
			m.Files[i].Events = m.Files[i].Messages - bytes.Count(all[at].data, []byte(`"subject":"ckpt.`))
		}
	}
	data, err := json.MarshalIndent(m, "", "  ")
	require.NoError(t, err)
	all[0].data = append(data, '\n')
	return all
}

func file(all []entry, name string) *entry {
	return &all[slices.IndexFunc(all, func(e entry) bool { return e.name == name })]
}

func verify(t testing.TB, packed []byte, o bundle.Options) (*bundle.Report, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.bundle")
	require.NoError(t, os.WriteFile(path, packed, 0o600))
	b, err := bundle.Open(path)
	if err != nil {
		return nil, err
	}
	return b.Verify(o)
}

// A bundle holds what the selection says and its proof, nothing of other groups, and is
// the same each time.
func TestWriteBundle(t *testing.T) {
	key, public := newKey(t)
	r := record(t, key, "", "s1", "s2", "s3")
	packed := export(t, r, bundle.Selection{Session: "s1"}, true)
	require.Equal(t, packed, export(t, r, bundle.Selection{Session: "s1"}, true))
	report, err := verify(t, packed, auditor(t, public))
	require.NoError(t, err)
	require.Empty(t, report.Faults)
	require.True(t, report.Verified)
	require.Equal(t, []string{"s1"}, report.Groups)
	require.Equal(t, public, report.SignedBy)
	for _, s := range report.Streams {
		require.Equal(t, 10, s.Events)
		require.Len(t, s.Partitions, 1)
	}
	for _, e := range unpack(t, packed) {
		require.NotContains(t, string(e.data), `"subject":"s2"`)
		require.NotContains(t, string(e.data), `.s2.`)
	}
	_, err = bundle.Write(t.Context(), io.Discard, r, bundle.Export{Selection: bundle.Selection{Run: "never"}})
	var nothing *bundle.NothingError
	require.ErrorAs(t, err, &nothing)

	all := export(t, r, bundle.Selection{Since: noon.Add(9 * time.Minute)}, false)
	report, err = verify(t, all, auditor(t, public))
	require.NoError(t, err)
	require.True(t, report.Verified)
	require.Equal(t, []string{"s1", "s2", "s3"}, report.Groups, "whole groups, decided on in that time")
	require.Contains(t, strings.Join(report.NotProven, "\n"), "that nothing was left out")
	report, err = verify(t, all, bundle.Options{})
	require.NoError(t, err)
	require.Contains(t, strings.Join(report.NotProven, "\n"), "consistent, not authentic")
}

// The chain is written as far as the groups need it, not to the end of the streams.
func TestWriteEndsWithTheGroups(t *testing.T) {
	key, public := newKey(t)
	packed := export(t, record(t, key, "", "s1", "s2", brief), bundle.Selection{Session: brief}, true)
	report, err := verify(t, packed, auditor(t, public))
	require.NoError(t, err)
	require.True(t, report.Verified, "%v", report.Faults)
	for _, s := range report.Streams {
		require.Equal(t, 4, s.Events)
		require.Equal(t, 2, s.Batches)
	}
}
