package backup_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
)

// Each change of a backup's files is found, and named with its place.
func TestTamperedBackup(t *testing.T) {
	s := recorded(t, 300)
	dir := t.TempDir()
	s.backup(dir)
	older := files(t, dir)
	stop := s.run()
	s.publish(300)
	s.await(600)
	stop()
	s.backup(dir)
	whole := files(t, dir)
	manifest := filepath.Join(dir, "BACKUP")
	blockOf := blocksOf(t, s, dir)
	input, signals, decisions := blockOf("INPUT"), blockOf("SIGNALS"), blockOf("DECISIONS")
	edit := func(name string, how func(string) string) func() {
		return func() { require.NoError(t, os.WriteFile(name, []byte(how(whole[name])), 0o600)) }
	}
	replaced := func(old, by string) func(string) string {
		return func(text string) string {
			require.Contains(t, text, old)
			return strings.Replace(text, old, by, 1)
		}
	}
	lists := func(text string) (a, b string) {
		_, text, _ = strings.Cut(text, `"name": "DECISIONS"`)
		_, after, _ := strings.Cut(text, `"list": "`)
		_, next, _ := strings.Cut(after, `"list": "`)
		return after[:64], next[:64]
	}
	for _, attack := range []struct {
		name string
		do   func()
		want string
	}{
		{"a byte of a block", edit(decisions, func(text string) string {
			return text[:len(text)/2] + string(text[len(text)/2]^1) + text[len(text)/2+1:]
		}), "of DECISIONS: it was truncated or edited"},
		{"a block is cut", edit(signals, func(text string) string { return text[:len(text)-9] }), "of SIGNALS: it was truncated or edited"},
		{"a block is empty", edit(signals, func(string) string { return "" }), "of SIGNALS: its content does not match its name"},
		{"a block is missing", func() { require.NoError(t, os.Remove(input)) }, "of INPUT: the file is missing"},
		{"two blocks are exchanged", func() { edit(input, func(string) string { return whole[signals] })() }, "of INPUT: its content does not match its name"},
		{"an older block in the place of a newer", func() { edit(decisions, func(string) string { return anyOf(older) })() }, "of DECISIONS: its content does not match its name"},
		{"the manifest is edited", edit(manifest, replaced(`"partitions": 3`, `"partitions": 4`)), "damaged or was edited"},
		{"two streams of the manifest are exchanged", edit(manifest, func(text string) string {
			a, b := lists(text)
			return strings.NewReplacer(a, b, b, a).Replace(text)
		}), "damaged or was edited"},
		{"the signature is removed", edit(manifest, func(text string) string { return text[:strings.Index(text, "\n\n— ")+1] }), ""},
		{"the manifest is cut", edit(manifest, func(text string) string { return text[:200] }), "damaged or was edited"},
		{"the manifest is empty", edit(manifest, func(string) string { return "" }), "damaged or was edited"},
		{"the manifest of the older backup", edit(manifest, func(string) string { return older[manifest] }), "the file is missing"},
		{"a digest that is a path", edit(manifest, func(text string) string {
			a, _ := lists(text)
			text = text[:strings.Index(text, "\n\n— ")+1]
			return strings.Replace(text, a, "../../../../../../../../../../../../../etc/passwd", 1)
		}), "is not a digest"},
		{"of another version", edit(manifest, func(text string) string {
			return strings.Replace(text[:strings.Index(text, "\n\n— ")+1], `"version": 1`, `"version": 9`, 1)
		}), "has version 9"},
	} {
		t.Run(attack.name, func(t *testing.T) {
			attack.do()
			b, _, err := s.check(dir)
			if attack.want == "" {
				require.NoError(t, err)
				require.Empty(t, b.Signer, "who demands a signature refuses it")
			} else {
				require.ErrorContains(t, err, attack.want)
			}
			for name, data := range whole {
				require.NoError(t, os.WriteFile(name, []byte(data), 0o600))
			}
			s.opened(dir)
		})
	}
}

// A backup signed by a stranger is not taken for one of a trusted key.
func TestSignatureOfABackup(t *testing.T) {
	s, stranger := recorded(t, 20), newSystem(t, nil)
	dir := t.TempDir()
	s.backup(dir)
	require.Equal(t, s.trusted["ingest"][0], s.opened(dir).Signer)
	b, err := backup.Open(dir, stranger.known())
	require.NoError(t, err)
	require.Equal(t, backup.Unknown, b.Signer)
}

func anyOf(all map[string]string) string {
	for name, data := range all {
		if strings.HasSuffix(name, ".zst") {
			return data
		}
	}
	return ""
}

// blocksOf finds the file of the first block of a stream.
func blocksOf(t *testing.T, s *system, dir string) func(stream string) string {
	return func(stream string) string {
		for _, of := range s.opened(dir).Streams {
			if of.Name != stream {
				continue
			}
			list := unpacked(t, filepath.Join(dir, "blocks", of.List[:2], of.List+".zst"))
			var block backup.Block
			require.NoError(t, json.NewDecoder(strings.NewReader(list)).Decode(&block))
			return filepath.Join(dir, "blocks", block.SHA256[:2], block.SHA256+".zst")
		}
		t.Fatalf("no stream %s", stream)
		return ""
	}
}
