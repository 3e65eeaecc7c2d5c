package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
)

// A backup by a revoked key is not proven, whatever time it states: no chain proves INPUT, so
// nothing but the key would (AU-3, ADR 14).
func TestABackupByARevokedKey(t *testing.T) {
	s := recorded(t, 20)
	dir := t.TempDir()
	s.backup(dir)
	b := s.opened(dir)
	require.NoError(t, b.Proven(chain.Keys{}), "the control")
	for _, since := range []time.Time{b.Made, b.Made.Add(-time.Hour), b.Made.Add(time.Hour)} {
		err := b.Proven(chain.Keys{Revoked: map[string]time.Time{b.Signer: since}})
		require.ErrorContains(t, err, "revoked key: ")
	}
	stranger, err := backup.Open(dir, newSystem(t, nil).known())
	require.NoError(t, err)
	require.ErrorContains(t, stranger.Proven(chain.Keys{}), backup.Unknown)
}

// Whoever can write to the directory cannot have the next backup sign what they put there:
// it copies all of it again, unless the earlier one is signed.
func TestAnEditedBackupIsNotBuiltUpon(t *testing.T) {
	s := recorded(t, 20)
	dir := t.TempDir()
	s.backup(dir)
	require.True(t, s.backup(dir).Copied[0].Unchanged, "the control")
	manifest := filepath.Join(dir, "BACKUP")
	data, err := os.ReadFile(manifest)
	require.NoError(t, err)
	unsigned, _, _ := strings.Cut(string(data), "\n\n— ")
	require.NoError(t, os.WriteFile(manifest, []byte(unsigned+"\n"), 0o600))
	for _, c := range s.backup(dir).Copied {
		require.False(t, c.Unchanged, c.Stream)
	}
	o := s.options()
	o.Keys.Revoked = map[string]time.Time{s.trusted["ingest"][0]: time.Now().Add(time.Hour)}
	result, err := backup.Write(context.Background(), s.broker, dir, o)
	require.NoError(t, err)
	require.False(t, result.Copied[0].Unchanged, "signed by a revoked key")
}

// A file that waits where the backup writes is not written to: it may be a link to another, or
// readable by whoever put it there.
func TestABackupFollowsNoLink(t *testing.T) {
	s := recorded(t, 20)
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "profile")
	require.NoError(t, os.WriteFile(other, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(other, filepath.Join(dir, "BACKUP.part")))
	s.backup(dir)
	data, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "mine", string(data))
}

// What is verified is what is restored: a manifest names no stream twice, and a list of blocks
// no field.
func TestAnAmbiguousBackupIsRefused(t *testing.T) {
	s := recorded(t, 20)
	dir := t.TempDir()
	s.backup(dir)
	manifest := filepath.Join(dir, "BACKUP")
	data, err := os.ReadFile(manifest)
	require.NoError(t, err)
	text, _, _ := strings.Cut(string(data), "\n\n— ")
	for name, changed := range map[string]string{
		"a field twice":     strings.Replace(text, `"version": 1`, `"version": 9,`+"\n"+` "version": 1`, 1),
		"a stream twice":    strings.Replace(text, `"name": "SIGNALS"`, `"name": "SEGMENTS"`, 1),
		"messages sent on":  strings.Replace(text, `"config": {`, `"config": {"republish": {"dest": "stolen.>"},`, 1),
		"another stream":    strings.Replace(text, `"config": {`, `"config": {"mirror": {"name": "OTHER"},`, 1),
		"a second manifest": text + "\n" + text,
	} {
		require.NotEqual(t, text, changed, name)
		require.NoError(t, os.WriteFile(manifest, []byte(changed+"\n"), 0o600))
		_, err := backup.Open(dir, nil)
		require.ErrorIs(t, err, backup.ErrManifest, name)
	}
	require.NoError(t, os.WriteFile(manifest, []byte(text+"\n"), 0o600))
	_, err = backup.Open(dir, nil)
	require.NoError(t, err, "the control: only the signature is missing")
}
