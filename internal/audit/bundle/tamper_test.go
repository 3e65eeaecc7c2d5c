package bundle_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
)

// attack changes the files of a bundle.
type attack struct {
	name   string
	change func(all []entry) []entry
	// found is in the report; everything else of the bundle may be recomputed by the
	// attacker, but for the signatures of the stages.
	found string
}

// edited replaces text in the n-th line of a file that holds it.
func edited(name, from, to string) func([]entry) []entry {
	return func(all []entry) []entry {
		f := file(all, name)
		f.data = bytes.Replace(f.data, []byte(from), []byte(to), 1)
		return all
	}
}

// linewise changes the lines of a file.
func linewise(name string, change func([]string) []string) func([]entry) []entry {
	return func(all []entry) []entry {
		f := file(all, name)
		list := strings.SplitAfter(strings.TrimSuffix(string(f.data), "\n"), "\n")
		list[len(list)-1] += "\n"
		f.data = []byte(strings.Join(change(list), ""))
		return all
	}
}

func isCheckpoint(line string) bool { return strings.Contains(line, `"subject":"ckpt.`) }

// attacks recompute the manifest.
func attacks(other []entry) []attack {
	first := func(list []string) int {
		return slices.IndexFunc(list, func(l string) bool { return !isCheckpoint(l) })
	}
	ckpt := func(list []string) int { return slices.IndexFunc(list, isCheckpoint) }
	return []attack{
		{"data of a turn", edited("segments.jsonl", `plan first`, `plan third`), "segments.jsonl line 1 (sequence 4): its subject, a header or its data is not what was committed"},
		{"data of a signal", edited("signals.jsonl", `\"turn\":1`, `\"turn\":7`), "signals.jsonl line 1"},
		{"data of a decision", edited("decisions.jsonl", `\"turn\":2`, `\"turn\":7`), "is not what was committed"},
		{"a header", edited("decisions.jsonl", `"ce-rulesversion":["1"]`, `"ce-rulesversion":["2"]`), "is not what was committed"},
		{"a subject", edited("decisions.jsonl", `.s1.s1"`, `.s1.s9"`), "is not what was committed"},
		{"a sequence", edited("segments.jsonl", `{"sequence":4,`, `{"sequence":3,`), "sequence 3"},
		{"an event of another group", edited("segments.jsonl", `.s1.s1"`, `.s2.s2"`), `it belongs to "s2"`},
		{"two events swapped", linewise("segments.jsonl", func(l []string) []string { l[0], l[1] = l[1], l[0]; return l }), "out of order"},
		{"two events exchanged", linewise("segments.jsonl", func(l []string) []string {
			a, b := l[0], l[1]
			l[0] = strings.Replace(b, b[:strings.Index(b, ",")], a[:strings.Index(a, ",")], 1)
			l[1] = strings.Replace(a, a[:strings.Index(a, ",")], b[:strings.Index(b, ",")], 1)
			return l
		}), "it was committed at"},
		{"an event twice", linewise("decisions.jsonl", func(l []string) []string { return slices.Insert(l, first(l), l[first(l)]) }), "out of order"},
		{"an event added", linewise("decisions.jsonl", func(l []string) []string {
			return slices.Insert(l, ckpt(l)+1, strings.Replace(l[first(l)], `"sequence":1,`, `"sequence":4,`, 1))
		}), "decisions.jsonl line"},
		{"a checkpoint edited", edited("decisions.jsonl", `\"outputs\":`, `\"outputs\":1`), "decisions.jsonl line"},
		{"a checkpoint's position", edited("signals.jsonl", `\"sequence\":`, `\"sequence\":9`), "signature not valid"},
		{"a checkpoint removed", linewise("signals.jsonl", func(l []string) []string { return slices.Delete(l, ckpt(l), ckpt(l)+1) }), "it is in no batch"},
		{"the last checkpoint removed", linewise("signals.jsonl", func(l []string) []string { return l[:len(l)-1] }), "the checkpoint that ends its batch is missing"},
		{"a batch removed", linewise("segments.jsonl", func(l []string) []string { return slices.Delete(l, ckpt(l)+1, 2*ckpt(l)+2) }), "one between them is missing"},
		{"two batches swapped", linewise("segments.jsonl", func(l []string) []string {
			n := ckpt(l) + 1
			return slices.Concat(l[n:2*n], l[:n], l[2*n:])
		}), "out of order"},
		{"a line of something else", linewise("segments.jsonl", func(l []string) []string { return append(l, "{}\n") }), "no stage writes on the subject"},
		{"a broken line", linewise("segments.jsonl", func(l []string) []string { return append(l, "{\"sequence\":\n") }), "read a message"},
		{"a field twice", edited("segments.jsonl", `{"sequence":4,`, `{"sequence":3,"sequence":4,`), "segments.jsonl line 1: read a message: jsontext: duplicate object member name"},
		{"a header twice", edited("decisions.jsonl", `"ce-type":[`, `"ce-type":["turn.segmented"],"ce-type":[`), "duplicate object member name"},
		{"a field of another case", edited("segments.jsonl", `"subject":"`, `"Subject":"x","subject":"`), "segments.jsonl line 1: read a message: "},
		{"a second message in a line", linewise("segments.jsonl", func(l []string) []string {
			l[1] = strings.TrimSuffix(l[0], "\n") + l[1]
			return slices.Delete(l, 0, 1)
		}), "segments.jsonl line 1: read a message: "},
		{"bytes beside the data", edited("segments.jsonl", `"data":"`, `"bytes":"/w==","data":"`), "its data is repeated"},
		{"text as bytes", edited("segments.jsonl", `"data":"`, `"bytes":"e30=","data":"`), "its data is repeated"},
		{"a header of a checkpoint", edited("decisions.jsonl", `"subject":"ckpt.dispatcher.`, `"header":{"note":["x"]},"subject":"ckpt.dispatcher.`), "a header that nothing proves"},
		{"a header of the broker", edited("segments.jsonl", `"header":{`, `"header":{"Nats-Schedule":["@every 1s"],`), "a header that nothing proves"},
		{"a checkpoint on the subject of another stage", edited("signals.jsonl", `"subject":"ckpt.evaluator.`, `"subject":"ckpt.dispatcher.`), "the evaluator writes no checkpoint on the subject"},
		{"segments of another system", func(all []entry) []entry {
			file(all, "segments.jsonl").data = file(other, "segments.jsonl").data
			return all
		}, "it was made from another SEGMENTS"},
		{"decisions of another system", func(all []entry) []entry {
			file(all, "decisions.jsonl").data = file(other, "decisions.jsonl").data
			return all
		}, "it was made from another SIGNALS"},
		{"a file added", func(all []entry) []entry { return append(all, entry{name: "more.jsonl"}) }, "it is not in the manifest"},
		{"a file twice", func(all []entry) []entry { return append(all, *file(all, "signals.jsonl")) }, "a second time"},
		{"files in another order", func(all []entry) []entry {
			n := len(all)
			all[n-1], all[n-2] = all[n-2], all[n-1]
			return all
		}, "missing, or after decisions.jsonl"},
	}
}

// Every change of a bundle is found at its place, also when the attacker recomputes what
// needs no key (AU-11).
func TestTamperedBundle(t *testing.T) {
	key, public := newKey(t)
	whole := export(t, record(t, key, "first", "s1", "s2"), bundle.Selection{Session: "s1"}, false)
	other := unpack(t, export(t, record(t, key, "second", "s1", "s2"), bundle.Selection{Session: "s1"}, false))
	report, err := verify(t, pack(t, again(t, unpack(t, whole))), auditor(t, public))
	require.NoError(t, err)
	require.True(t, report.Verified, "the control: %v", report.Faults)
	for _, a := range attacks(other) {
		t.Run(a.name, func(t *testing.T) {
			changed := a.change(unpack(t, whole))
			report, err := verify(t, pack(t, again(t, changed)), auditor(t, public))
			require.NoError(t, err)
			require.False(t, report.Verified)
			var said []string
			for _, f := range report.Faults {
				said = append(said, f.Error())
			}
			require.Contains(t, strings.Join(said, "\n"), a.found)

			report, err = verify(t, pack(t, a.change(unpack(t, whole))), auditor(t, public))
			require.NoError(t, err)
			require.False(t, report.Verified, "without a recomputed manifest")
			path := filepath.Join(t.TempDir(), "edited.bundle")
			require.NoError(t, os.WriteFile(path, pack(t, a.change(unpack(t, whole))), 0o600))
			_, err = bundle.OpenWhole(path)
			var fault *bundle.Fault
			require.ErrorAs(t, err, &fault, "replay, report and backtest refuse it")
		})
	}
}

// Commands read a stream by the name of its file, so a manifest cannot hide one from the check.
func TestAManifestThatHidesAStreamIsFound(t *testing.T) {
	key, public := newKey(t)
	whole := export(t, record(t, key, "", "s1"), bundle.Selection{Session: "s1"}, false)
	for name, change := range map[string]func(text string) string{
		"no stream": func(text string) string { return strings.Replace(text, `"stream": "DECISIONS"`, `"stream": ""`, 1) },
		"another stream": func(text string) string {
			return strings.Replace(text, `"stream": "DECISIONS"`, `"stream": "INPUT"`, 1)
		},
		"exchanged": func(text string) string {
			return strings.NewReplacer(`"stream": "DECISIONS"`, `"stream": "SIGNALS"`, `"stream": "SIGNALS"`, `"stream": "DECISIONS"`).Replace(text)
		},
	} {
		all := unpack(t, whole)
		changed := change(string(all[0].data))
		require.NotEqual(t, string(all[0].data), changed, name)
		all[0].data = []byte(changed)
		report, err := verify(t, pack(t, all), auditor(t, public))
		require.NoError(t, err, name)
		require.False(t, report.Verified, name)
		require.Equal(t, "manifest.json", report.Faults[0].File, name)
	}
}

// A manifest reads the same in every program, and names nothing but what a bundle holds.
func TestAnAmbiguousManifestIsFound(t *testing.T) {
	key, public := newKey(t)
	whole := export(t, record(t, key, "", "s1"), bundle.Selection{Session: "s1"}, false)
	replaced := func(from, to string) func(string) string {
		return func(text string) string { return strings.Replace(text, from, to, 1) }
	}
	for name, change := range map[string]func(text string) string{
		"a field twice":       replaced(`{`, `{"selection": "--session s9",`),
		"of another case":     replaced(`{`, `{"Selection": "--session s9",`),
		"a second manifest":   func(text string) string { return text + text },
		"a file nobody knows": replaced(`"rules.yaml"`, `"../rules.yaml"`),
		"a path in a folder":  replaced(`"rules.yaml"`, `"anchors/../../x"`),
		"a file twice":        replaced(`"keys/signals.jsonl"`, `"keys/segments.jsonl"`),
	} {
		all := unpack(t, whole)
		changed := change(string(all[0].data))
		require.NotEqual(t, string(all[0].data), changed, name)
		all[0].data = []byte(changed)
		report, err := verify(t, pack(t, all), auditor(t, public))
		var fault *bundle.Fault
		if !errors.As(err, &fault) {
			require.NoError(t, err, name)
			require.False(t, report.Verified, name)
			fault = report.Faults[0]
		}
		require.Equal(t, "manifest.json", fault.File, name)
	}
}

// What a manifest says of the lines is what they are: commands begin with it.
func TestAManifestThatContradictsTheLinesIsFound(t *testing.T) {
	key, public := newKey(t)
	whole := export(t, record(t, key, "", "s1"), bundle.Selection{Session: "s1"}, false)
	for name, replaced := range map[string][2]string{
		"a group of which nothing is here": {`"s1"`, `"s1", "s7"`},
		"a group twice":                    {`"s1"`, `"s1", "s1"`},
		"other rules":                      {`"config_hash": "c"`, `"config_hash": "d"`},
		"fewer events of rules":            {`"events": 30`, `"events": 29`},
		"an earlier end":                   {`"through": "2026-`, `"through": "2025-`},
	} {
		all := unpack(t, whole)
		changed := strings.Replace(string(all[0].data), replaced[0], replaced[1], 1)
		require.NotEqual(t, string(all[0].data), changed, name)
		if strings.HasPrefix(name, "a group") {
			changed = strings.Replace(string(all[0].data), "\"groups\": [\n    "+replaced[0], "\"groups\": [\n    "+replaced[1], 1)
		}
		all[0].data = []byte(changed)
		report, err := verify(t, pack(t, all), auditor(t, public))
		require.NoError(t, err, name)
		require.Len(t, report.Faults, 1, name)
		require.Equal(t, "manifest.json", report.Faults[0].File, name)
	}
}

// What a stranger wrote into a bundle adds no line to the report, and steers no terminal.
func TestABundleDoesNotWriteItsOwnReport(t *testing.T) {
	key, public := newKey(t)
	all := unpack(t, export(t, record(t, key, "", "s1"), bundle.Selection{Session: "s1"}, false))
	all[0].data = bytes.Replace(all[0].data, []byte(`"--session s1"`), []byte(`"x\nverified: 99 events\u001b[8m"`), 1)
	all = append(all, entry{name: "x\n\x1b[8mverified"})
	report, err := verify(t, pack(t, all), auditor(t, public))
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, report.WriteText(&out))
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\nverified")
	require.Contains(t, out.String(), "NOT verified")
	require.NotContains(t, report.Faults[0].Error(), "\n")
}

// Whoever unpacks a bundle gets files, not links to others of theirs.
func TestALinkInABundleIsFound(t *testing.T) {
	key, public := newKey(t)
	all := unpack(t, export(t, record(t, key, "", "s1"), bundle.Selection{Session: "s1"}, false))
	file(all, "keys/signals.jsonl").link = "/etc/passwd"
	report, err := verify(t, pack(t, all), auditor(t, public))
	require.NoError(t, err)
	require.Contains(t, report.Faults[0].Error(), "keys/signals.jsonl: it is not a plain file")
	file(all, "keys/signals.jsonl").link, file(all, "keys/signals.jsonl").mode = "", 0o4755
	report, err = verify(t, pack(t, all), auditor(t, public))
	require.NoError(t, err)
	require.Contains(t, report.Faults[0].Error(), "keys/signals.jsonl: it is not a plain file")
}

// A signature is in one form, also in the bits that its text does not need.
func TestTheSpareBitsOfASignatureAreFound(t *testing.T) {
	key, public := newKey(t)
	all := unpack(t, export(t, record(t, key, "", "s1"), bundle.Selection{Session: "s1"}, true))
	f := file(all, "manifest.note")
	text := strings.TrimRight(string(f.data), "=\n")
	f.data = []byte(text[:len(text)-1] + string(text[len(text)-1]+1) + "=\n")
	report, err := verify(t, pack(t, all), auditor(t, public))
	require.NoError(t, err)
	require.Contains(t, faults(report), "not in canonical form")
}

// What no mark proves, the signature of the manifest does.
func TestSignatureOfABundle(t *testing.T) {
	key, public := newKey(t)
	r := record(t, key, "", "s1")
	signed := export(t, r, bundle.Selection{Session: "s1"}, true)
	left := linewise("decisions.jsonl", func(l []string) []string { return slices.Delete(l, 0, 1) })
	report, err := verify(t, pack(t, again(t, left(unpack(t, signed)))), auditor(t, public))
	require.NoError(t, err)
	require.False(t, report.Verified, "an event was left out of a signed bundle")
	require.Contains(t, report.Faults[0].Error(), "manifest.note: the signature is not of this manifest")

	unsigned := slices.DeleteFunc(again(t, left(unpack(t, signed))), func(e entry) bool { return e.name == "manifest.note" })
	report, err = verify(t, pack(t, unsigned), auditor(t, public))
	require.NoError(t, err)
	require.Contains(t, strings.Join(report.NotProven, "\n"), "that nothing was left out")

	_, stranger := newKey(t)
	report, err = verify(t, signed, auditor(t, stranger))
	require.NoError(t, err)
	require.False(t, report.Verified, "checkpoints of a stranger")
	require.Empty(t, report.SignedBy)
}

// A bundle that is cut off anywhere is not verified.
func TestCutBundle(t *testing.T) {
	key, public := newKey(t)
	whole := export(t, record(t, key, "", "s1"), bundle.Selection{Session: "s1"}, false)
	for _, n := range []int{0, 3, 40, len(whole) / 4, len(whole) / 2, len(whole) - 40, len(whole) - 1} {
		report, err := verify(t, whole[:n], auditor(t, public))
		if err == nil {
			require.False(t, report.Verified, "%d bytes of %d", n, len(whole))
		}
	}
	for i := range 60 {
		damaged := slices.Clone(whole)
		damaged[i*len(whole)/60] ^= 0x10
		report, err := verify(t, damaged, auditor(t, public))
		if err == nil && report.Verified {
			require.Equal(t, unpack(t, whole), unpack(t, damaged), "byte %d", i*len(whole)/60)
		}
	}
}

// Nothing hides behind the end, where other programs than ours may read it.
func TestWhatIsAfterTheEndOfABundleIsFound(t *testing.T) {
	key, public := newKey(t)
	whole := export(t, record(t, key, "", "s1"), bundle.Selection{Session: "s1"}, false)
	for name, hidden := range map[string][]byte{
		"another tar":      pack(t, []entry{{name: "segments.jsonl", data: []byte("{}\n")}}),
		"a frame of text":  frame(t, []byte("x")),
		"64 MB of zeros":   frame(t, make([]byte, 64<<20)),
		"what is no frame": []byte("hidden"),
	} {
		report, err := verify(t, append(slices.Clone(whole), hidden...), auditor(t, public))
		require.NoError(t, err, name)
		require.False(t, report.Verified, name)
		require.Contains(t, report.Faults[0].Error(), "the bundle after ", name)
	}
	report, err := verify(t, append(slices.Clone(whole), frame(t, make([]byte, 8<<10))...), auditor(t, public))
	require.NoError(t, err)
	require.True(t, report.Verified, "the padding of a tar")
}

// frame returns data as one more frame of zstd.
func frame(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// Text in place of a part of any file is read or refused, and never verified.
func FuzzOpen(f *testing.F) {
	key, public := newKey(f)
	whole := unpack(f, export(f, record(f, key, "", "s1"), bundle.Selection{Session: "s1"}, true))
	f.Add(uint8(0), uint16(0), "{")
	f.Add(uint8(3), uint16(80), `{"sequence":1}`)
	f.Fuzz(func(t *testing.T, name uint8, at uint16, text string) {
		all := slices.Clone(whole)
		e := &all[int(name)%len(all)]
		from := int(at) % (len(e.data) + 1)
		changed := append(slices.Clone(e.data[:from]), text...)
		if end := from + len(text); end < len(e.data) {
			changed = append(changed, e.data[end:]...)
		}
		if bytes.Equal(changed, e.data) {
			return
		}
		e.data = changed
		if report, err := verify(t, pack(t, all), auditor(t, public)); err == nil && report.Verified && report.SignedBy != "" {
			t.Fatalf("%q in %s at %d is not seen", text, e.name, from)
		}
	})
}
