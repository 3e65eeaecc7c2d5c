package bundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// rotate records in each partition that another key signs from now on.
func (r *recorded) rotate(next nkeys.KeyPair) {
	r.t.Helper()
	public, err := next.PublicKey()
	require.NoError(r.t, err)
	for _, stream := range bundle.Streams {
		for partition := range partitions {
			if r.heads[stream][partition] == "" {
				continue // as the command does with one that was never written
			}
			last := r.last(stream, partition)
			r.seal(stream, proof.Checkpoint{
				Version: 1, Stage: last.Stage, Partition: partition, Source: last.Source, Position: last.Position, Digest: proof.Digest(nil),
				Fence: r.fences[stream][partition], Previous: r.heads[stream][partition], Successor: public,
			})
		}
		r.keys[stream] = next
	}
}

// last returns the last checkpoint of a partition.
func (r *recorded) last(stream events.Stream, partition int) (c proof.Checkpoint) {
	for _, m := range slices.Backward(r.messages[stream]) {
		if m.Sequence == r.fences[stream][partition] {
			require.NoError(r.t, json.Unmarshal(m.Data, &c))
			break
		}
	}
	return c
}

// anchor returns one of the heads as they are now.
func (r *recorded) anchor(key nkeys.KeyPair, at time.Time) []byte {
	r.t.Helper()
	a := chain.Anchor{Time: at}
	for _, stream := range bundle.Streams {
		a.Streams = append(a.Streams, chain.AnchoredStream{Name: stream, Created: noon, Last: uint64(len(r.messages[stream]))})
		for partition := range partitions {
			a.Heads = append(a.Heads, chain.Head{Stream: stream, Partition: partition, Sequence: r.fences[stream][partition], Digest: r.heads[stream][partition]})
		}
	}
	signer, err := chain.Signer(key)
	require.NoError(r.t, err)
	signed, err := a.Sign(signer)
	require.NoError(r.t, err)
	return signed
}

// rotated is a system whose key was replaced after the third batch.
type rotated struct {
	*recorded
	first, second nkeys.KeyPair
	old, next     string
	early, own    []byte // anchors of before, by the auditor and by the first key
	auditor       nkeys.KeyPair
}

const sessionsOfAll = "s1 s2 brief late"

func rotatedSystem(t testing.TB) *rotated {
	t.Helper()
	s := &rotated{}
	s.first, s.old = newKey(t)
	s.second, s.next = newKey(t)
	s.auditor, _ = newKey(t)
	s.recorded = empty(t, s.first, "")
	s.work(0, 3, strings.Fields(sessionsOfAll)...)
	s.early = s.anchor(s.auditor, noon.Add(6*time.Minute))
	s.own = s.anchor(s.first, noon.Add(6*time.Minute))
	s.rotate(s.second)
	s.work(3, 5, strings.Fields(sessionsOfAll)...)
	return s
}

// exported returns a bundle of a session with an anchor, if one is given, signed by a key, if one is given.
func (s *rotated) exported(session string, anchor []byte, key nkeys.KeyPair) []byte {
	s.t.Helper()
	e := bundle.Export{Selection: bundle.Selection{Session: session}, Manifest: bundle.Manifest{Partitions: partitions, Rules: "1"}}
	if anchor != nil {
		e.Anchors = map[string][]byte{"early.anchor": anchor}
	}
	if key != nil {
		signer, err := chain.Signer(key)
		require.NoError(s.t, err)
		e.Signer = signer
	}
	var out bytes.Buffer
	_, err := bundle.Write(s.t.Context(), &out, s.recorded, e)
	require.NoError(s.t, err)
	return out.Bytes()
}

// auditors trust both keys, and the auditor's for anchors; the first is revoked at a time, if
// one is given.
func (s *rotated) auditors(revoked time.Time) bundle.Options {
	s.t.Helper()
	o := auditor(s.t, s.old, s.next)
	public, err := s.auditor.PublicKey()
	require.NoError(s.t, err)
	o.Known[public], err = chain.Verifier(public)
	require.NoError(s.t, err)
	if !revoked.IsZero() {
		o.Keys.Revoked = map[string]time.Time{s.old: revoked}
	}
	return o
}

func (s *rotated) verify(packed []byte, o bundle.Options) *bundle.Report {
	s.t.Helper()
	report, err := verify(s.t, packed, o)
	require.NoError(s.t, err)
	return report
}

// forged appends a batch of a session to the segments of a bundle, signed with a key.
func (s *rotated) forged(packed []byte, key nkeys.KeyPair, stored time.Time) []byte {
	s.t.Helper()
	all := unpack(s.t, packed)
	f := file(all, "segments.jsonl")
	list := strings.Split(strings.TrimSuffix(string(f.data), "\n"), "\n")
	var end struct {
		Sequence uint64
		Data     string
	}
	require.NoError(s.t, json.Unmarshal([]byte(list[len(list)-1]), &end))
	var c proof.Checkpoint
	require.NoError(s.t, json.Unmarshal([]byte(end.Data), &c))
	c.Fence, c.Previous, c.Count, c.Outputs, c.Marks, c.Digest, c.Successor = end.Sequence, proof.Head([]byte(end.Data)), 0, 0, nil, proof.Digest(nil), ""
	data, err := c.Seal(key)
	require.NoError(s.t, err)
	line, err := json.Marshal(map[string]any{
		"sequence": end.Sequence + 40, "time": stored, "subject": subjects.CheckpointSubject("ingest", c.Partition), "data": string(data),
	})
	require.NoError(s.t, err)
	f.data = append(append(f.data, line...), '\n')
	return pack(s.t, again(s.t, slices.DeleteFunc(all, func(e entry) bool { return e.name == "manifest.note" })))
}

func faults(r *bundle.Report) string {
	var all []string
	for _, f := range r.Faults {
		all = append(all, f.Error())
	}
	return strings.Join(all, "\n")
}

func limits(r *bundle.Report) string { return strings.Join(r.NotProven, "\n") }

// A key that was replaced before, within or after what is exported is no fault, and nothing
// of it is open where another key signed the manifest.
func TestBundlesOfAReplacedKeyVerifyClean(t *testing.T) {
	s := rotatedSystem(t)
	for session, line := range map[string]string{late: "before", "s1": "within", brief: "after"} {
		report := s.verify(s.exported(session, nil, s.second), s.auditors(time.Time{}))
		require.True(t, report.Verified, "%s: %s", line, faults(report))
		require.Equal(t, "that the system still holds this history: no anchor matches; make one with `scaffoldwatch anchor --out FILE`, and export the bundle again with --anchor FILE", limits(report), line)
		report = s.verify(s.exported(session, nil, nil), s.auditors(time.Time{}))
		require.True(t, report.Verified, "%s: %s", line, faults(report))
		require.Equal(t, session == brief, strings.Contains(limits(report), "had not been replaced"), line)
		report = s.verify(s.exported(session, s.early, nil), s.auditors(time.Time{}))
		require.True(t, report.Verified, "%s: %s", line, faults(report))
		require.NotContains(t, limits(report), "had not been replaced", line)
	}
	report := s.verify(s.exported(brief, nil, nil), auditor(t, s.old))
	require.NotContains(t, limits(report), "earlier build")
	report = s.verify(s.exported("s1", nil, nil), auditor(t, s.old))
	require.True(t, report.Verified, "who trusts the first key only follows it: %s", faults(report))
	require.Equal(t, "trusted by its predecessor", report.KeyStates[s.next])
}

// A batch by a key that was replaced is found with its line, whether the record is in the
// exported part or before it (AU-3).
func TestAReplacedKeyInABundleIsFound(t *testing.T) {
	s := rotatedSystem(t)
	for _, session := range []string{late, "s1"} {
		report := s.verify(s.forged(s.exported(session, nil, s.second), s.first, noon.Add(time.Hour)), s.auditors(time.Time{}))
		require.False(t, report.Verified)
		require.Regexp(t, `segments\.jsonl line \d+ \(sequence \d+\): replaced key: signed by `+s.old+`, which named its successor at \d+`, faults(report))
	}
	third, public := newKey(t)
	o := s.auditors(time.Time{})
	o.Keys.Trusted["ingest"] = append(o.Keys.Trusted["ingest"], public)
	report := s.verify(s.forged(s.exported("s1", nil, nil), third, noon.Add(time.Hour)), o)
	require.Contains(t, faults(report), "unrecorded key: the key changes here")
}

// A partition that begins after the key was replaced has no record of its own: those of the
// others say who signs it.
func TestAPartitionThatBeginsAfterTheRotation(t *testing.T) {
	other := "s2"
	for i := 3; subjects.Partition(other, partitions) == subjects.Partition("s1", partitions); i++ {
		other = fmt.Sprint("s", i)
	}
	begun := func(replaced bool) *rotated {
		s := rotatedSystem(t)
		s.recorded = empty(t, s.first, "")
		for _, stream := range bundle.Streams {
			s.batch(stream, subjects.Partition("s1", partitions), 0, []string{"s1"})
		}
		s.rotate(s.second)
		if replaced {
			s.keys = nil
		}
		for _, stream := range bundle.Streams {
			s.batch(stream, subjects.Partition(other, partitions), 1, []string{other})
		}
		return s
	}
	s := begun(false)
	report := s.verify(s.exported(other, nil, nil), s.auditors(time.Time{}))
	require.True(t, report.Verified, faults(report))
	require.NotContains(t, limits(report), "had not been replaced")
	s = begun(true)
	report = s.verify(s.exported(other, nil, nil), s.auditors(time.Time{}))
	require.Contains(t, faults(report), "replaced key: signed by "+s.old)
}

// recordAttacks change the records of keys.
func recordAttacks(s *rotated) []attack {
	none := func([]string) []string { return []string{"\n"} }
	empty := func(name string) func([]entry) []entry {
		return func(all []entry) []entry { file(all, name).data = nil; return all }
	}
	return []attack{
		{"no record of what is here", empty("keys/segments.jsonl"), "a key names its successor here, but keys/segments.jsonl does not have it"},
		{"an empty line", linewise("keys/signals.jsonl", none), "keys/signals.jsonl line 1"},
		{"another successor", edited("keys/segments.jsonl", `\"successor\":\"`+s.next, `\"successor\":\"`+s.old), "keys/segments.jsonl line 1"},
		{"a record of another place", linewise("keys/segments.jsonl", func(l []string) []string {
			l[0] = strings.Replace(l[0], `{"sequence":`, `{"sequence":1`, 1)
			return l
		}), "keys/segments.jsonl line"},
		{"no successor signs", linewise("keys/segments.jsonl", func(l []string) []string { return l[1:] }), "keys/segments.jsonl line"},
		{"records of another stage", func(all []entry) []entry {
			file(all, "keys/segments.jsonl").data = file(all, "keys/signals.jsonl").data
			return all
		}, "no checkpoint of the ingest is on the subject"},
		{"records after their stream", func(all []entry) []entry {
			at := slices.IndexFunc(all, func(e entry) bool { return e.name == "keys/segments.jsonl" })
			return append(slices.Delete(slices.Clone(all), at, at+1), all[at])
		}, "keys/segments.jsonl: these are not the keys of a stream that follows"},
		{"a stream without", func(all []entry) []entry {
			return slices.DeleteFunc(all, func(e entry) bool { return e.name == "keys/segments.jsonl" })
		}, "it names 2 files in keys/"},
	}
}

func TestTamperedRecordsOfKeys(t *testing.T) {
	s := rotatedSystem(t)
	for _, a := range recordAttacks(s) {
		t.Run(a.name, func(t *testing.T) {
			all := a.change(unpack(t, s.exported("s1", nil, nil)))
			report := s.verify(pack(t, again(t, inOrder(t, all))), s.auditors(time.Time{}))
			require.False(t, report.Verified)
			require.Contains(t, faults(report), a.found)
		})
	}
}

// inOrder makes the manifest name the files that are there, in their order.
func inOrder(t testing.TB, all []entry) []entry {
	t.Helper()
	var m bundle.Manifest
	require.NoError(t, json.Unmarshal(all[0].data, &m))
	var files []bundle.File
	for _, e := range all[1:] {
		if at := slices.IndexFunc(m.Files, func(f bundle.File) bool { return f.Name == e.name }); at >= 0 {
			files = append(files, m.Files[at])
		}
	}
	m.Files = files
	data, err := json.Marshal(m)
	require.NoError(t, err)
	all[0].data = data
	return all
}

// A thief of a replaced key who makes a bundle of their own is not silently believed: the
// records cannot be missed without a word.
func TestABundleWithoutRecordsSaysSo(t *testing.T) {
	s := rotatedSystem(t)
	forged := record(t, s.first, "forged", "s1")
	report := s.verify(export(t, forged, bundle.Selection{Session: "s1"}, true), s.auditors(time.Time{}))
	require.True(t, report.Verified, faults(report))
	require.Contains(t, limits(report), "SEGMENTS: that "+s.old+" had not been replaced when it signed (batches: 5)")

	thief := &rotated{recorded: forged}
	report = s.verify(thief.exported("s1", forged.anchor(s.first, noon), nil), s.auditors(time.Time{}))
	require.Contains(t, limits(report), "had not been replaced", "an anchor by the key itself")

	older := slices.DeleteFunc(unpack(t, s.exported("s1", nil, nil)), func(e entry) bool { return strings.HasPrefix(e.name, "keys/") })
	report = s.verify(pack(t, again(t, inOrder(t, older))), s.auditors(time.Time{}))
	require.True(t, report.Verified, faults(report))
	require.Contains(t, limits(report), "an earlier build made the bundle")
}

// What a revoked key signed counts if another key shows that it was there: with an anchor
// from before it is proven, with a signed manifest or a later batch its time is somebody's
// word, which is printed, and alone it is refused (ADR 14).
func TestARevokedKeyInABundle(t *testing.T) {
	s := rotatedSystem(t)
	after := noon.Add(8 * time.Minute)
	word := func(whose string) string { return "the times are vouched for only by " + whose }
	for _, c := range []struct {
		name, session string
		anchor        []byte
		signer        nkeys.KeyPair
		since         time.Time
		fault, limit  string
	}{
		{"replaced within, then revoked", "s1", nil, nil, after, "", word("the maker of the bundle")},
		{"replaced before, then revoked", late, nil, nil, after, "", ""},
		{"with the word of a signer", brief, nil, s.second, after, "", word(s.next)},
		{"with an anchor from before", brief, s.early, nil, after, "", ""},
		{"with an anchor from before, and a later batch", "s1", s.early, nil, after, "", ""},
		{"an anchor from afterwards", "s1", s.anchor(s.auditor, after.Add(time.Hour)), s.second, after, "", word(s.next)},
		{"alone", brief, nil, nil, after, "segments.jsonl line 3", ""},
		{"alone, the manifest too", brief, nil, s.first, after, "revoked key: " + s.old, ""},
		{"an anchor by the key itself", brief, s.own, nil, after, "revoked key: " + s.old, ""},
		{"revoked before", "s1", nil, s.second, noon.Add(-time.Minute), "segments.jsonl line 3 (sequence", ""},
		{"an anchor by the key after it was revoked", "s1", s.anchor(s.first, after), s.second, after, "anchors/early.anchor: not a valid anchor: revoked key", ""},
		{"the manifest, after it was revoked", late, nil, s.first, noon.Add(7 * time.Minute), "manifest.note: revoked key: " + s.old, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := s.verify(s.exported(c.session, c.anchor, c.signer), s.auditors(c.since))
			require.Equal(t, c.fault == "", report.Verified, faults(report))
			require.Contains(t, faults(report), c.fault)
			require.Contains(t, limits(report), c.limit)
			if c.limit == "" && c.fault == "" {
				require.NotContains(t, limits(report), s.old)
			}
		})
	}
}

// No date takes a message before the one in front of it, so a revoked key does not sign in
// the past of a bundle; nor does it name the key that signs for it.
func TestARevokedKeyCannotSignBefore(t *testing.T) {
	s := rotatedSystem(t)
	since := noon.Add(8 * time.Minute)
	report := s.verify(s.forged(s.exported("s1", nil, nil), s.first, noon), s.auditors(since))
	require.Contains(t, faults(report), "revoked key: signed by "+s.old)

	// Nor is it older than what its stage had read.
	behind := unpack(t, s.exported(brief, nil, s.second))
	f := file(behind, "segments.jsonl")
	f.data = bytes.ReplaceAll(f.data, []byte(`"time":"2026-`), []byte(`"time":"2027-`))
	report = s.verify(pack(t, again(t, behind)), s.auditors(since))
	require.Regexp(t, `decisions\.jsonl line \d+ \(sequence \d+\): revoked key: signed by `+s.old, faults(report))

	thief, _ := newKey(t)
	forged := record(t, s.first, "forged", "none")
	forged.rotate(thief)
	forged.work(5, 6, "s1")
	report, err := verify(t, export(t, forged, bundle.Selection{Session: "s1"}, true), s.auditors(since))
	require.NoError(t, err)
	require.False(t, report.Verified)
	require.Contains(t, faults(report), "keys/segments.jsonl line 3")
	require.Contains(t, faults(report), "signature not valid")
	require.NotContains(t, fmt.Sprint(report.KeyStates), "predecessor")
}
