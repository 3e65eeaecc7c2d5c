package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/transfer"
)

// Options configure a backup.
type Options struct {
	Keys   chain.Keys
	Signer note.Signer              // nil leaves the manifest unsigned
	By     string                   // public key of the signer
	Known  map[string]note.Verifier // keys that may sign manifests
	Build  string
	Now    time.Time
	// Quick skips reading back what was written, and trusts files of earlier backups to be intact.
	Quick bool
	// Progress, if not nil, is called now and then with the number of messages of a stream that were copied
	// or read back.
	Progress func(stream string, done, of uint64)
}

// Result describes what a backup wrote.
type Result struct {
	*Manifest
	Copied    []Copied      `json:"copied"`
	Removed   int           `json:"removed_files"`    // blocks that are no longer part of it
	Report    *chain.Report `json:"-"`                // nil if nothing was read back
	Signer    string        `json:"signer,omitempty"` // "" if the manifest is not signed
	Directory string        `json:"directory"`
}

// Copied describes what was written of a stream.
type Copied struct {
	Stream    string `json:"stream"`
	Unchanged bool   `json:"unchanged,omitempty"` // since the earlier backup
	Blocks    int    `json:"blocks"`              // written
	Bytes     int64  `json:"bytes"`
}

// Write makes a backup in a directory, which is missing, empty, or holds an earlier backup. After an error
// the directory is still what it was.
func Write(ctx context.Context, from *nats.Broker, dir string, o Options) (*Result, error) {
	earlier, err := earlierIn(dir, o)
	if err != nil {
		return nil, err
	}
	files, err := newStore(dir)
	if err != nil {
		return nil, err
	}
	w := &writing{Options: o, from: from, files: files, earlier: earlier, kept: map[string]bool{}}
	result := &Result{Directory: dir, Manifest: &Manifest{
		Version: Version, Made: o.Now.UTC(), Build: o.Build, Server: from.Conn().ConnectedServerVersion(),
		Partitions: from.Topology().Partitions, Keys: o.Keys, Unread: o.Quick,
	}}
	for _, name := range transfer.Streams(from) {
		stream, copied, err := w.stream(ctx, name)
		if errors.Is(err, transfer.ErrNoStream) {
			err = missing(name, err)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		if err := stream.foreign(topology.Topology{Partitions: result.Partitions}); err != nil {
			return nil, fmt.Errorf("such a backup could not be restored: %w: remove the setting with `nats stream edit`, and run the backup again", err)
		}
		result.Streams, result.Copied = append(result.Streams, stream), append(result.Copied, copied)
	}
	if !o.Quick {
		if result.Report, err = w.readAgain(ctx, result.Manifest); err != nil {
			return nil, err
		}
	}
	data, err := result.encode(o.Signer)
	if err != nil {
		return nil, err
	}
	result.Signer = o.By
	if err := replace(filepath.Join(dir, manifestFile), data); err != nil {
		return nil, err
	}
	result.Removed, err = files.sweep(w.kept)
	return result, err
}

// missing returns nil for a stream that an earlier version did not have, and the error for any other.
func missing(name string, err error) error {
	if name == "KV_RULES" || name == "KV_CONTROL" {
		return nil
	}
	return fmt.Errorf("%w; create it with `scaffoldwatch streams init`, or give the configuration of this system", err)
}

// ErrNoBackup is returned, wrapped, for a directory that is not a backup.
var ErrNoBackup = errors.New("not a backup")

// earlierIn returns the earlier backup in a directory, nil if there is none. A backup that will be signed
// does not build on one without a proven signature: it would vouch for content that anybody could have put
// there.
func earlierIn(dir string, o Options) (*Backup, error) {
	if err := os.MkdirAll(filepath.Join(dir, blocksFolder), 0o700); err != nil {
		return nil, fmt.Errorf("create the directory of the backup: %w", err)
	}
	earlier, err := Open(dir, o.Known)
	if errors.Is(err, ErrNoBackup) {
		return nil, nil
	}
	if err == nil && o.Signer != nil && earlier.Proven(o.Keys) != nil {
		return nil, nil
	}
	return earlier, err
}

// writing is one call of Write.
type writing struct {
	Options
	from    *nats.Broker
	files   *store
	earlier *Backup
	kept    map[string]bool // digests of the blocks that belong to this backup
}

// stream copies one stream, or what changed of it.
func (w *writing) stream(ctx context.Context, name string) (Stream, Copied, error) {
	copied := Copied{Stream: name}
	now, err := transfer.Look(ctx, w.from, name)
	if err != nil {
		return Stream{}, copied, err
	}
	if same, ok := w.unchanged(now); ok {
		copied.Unchanged = true
		return same, copied, nil
	}
	cut := &cutter{files: w.files, trust: w.Quick}
	done := uint64(0)
	archived, err := transfer.Archive(ctx, w.from, name, func(r transfer.Record) error {
		if done++; w.Progress != nil && done%progressEvery == 0 {
			w.Progress(name, done, max(now.Messages, done))
		}
		return cut.add(r)
	})
	if err == nil {
		err = cut.end()
	}
	if err != nil {
		return Stream{}, copied, err
	}
	copied.Blocks, copied.Bytes = cut.fresh, cut.written
	s := Stream{Archived: archived, Blocks: len(cut.blocks)}
	list, err := encodeList(cut.blocks)
	if err != nil {
		return s, copied, err
	}
	if s.List, s.Stored, _, err = w.files.put(list, w.Quick); err != nil {
		return s, copied, err
	}
	w.kept[s.List] = true
	for _, b := range cut.blocks {
		w.kept[b.SHA256] = true
		s.Stored += b.Stored
	}
	return s, copied, nil
}

const progressEvery = 256

// unchanged returns the earlier copy of a stream that has not changed since, if all of its files exist.
func (w *writing) unchanged(now transfer.Archived) (Stream, bool) {
	if w.earlier == nil {
		return Stream{}, false
	}
	s, ok := w.earlier.stream(now.Name)
	if !ok || !s.Same(now) {
		return Stream{}, false
	}
	blocks, err := w.earlier.blocks(s)
	if err != nil {
		return Stream{}, false
	}
	for _, b := range blocks {
		if w.files.size(b.SHA256) != b.Stored {
			return Stream{}, false
		}
	}
	w.kept[s.List] = true
	for _, b := range blocks {
		w.kept[b.SHA256] = true
	}
	s.Taken = now.Taken
	return s, true
}

// readAgain verifies what the new manifest names before it becomes the backup. A damaged file is removed,
// so that the next backup writes it again.
func (w *writing) readAgain(ctx context.Context, m *Manifest) (*chain.Report, error) {
	b := &Backup{Manifest: m, files: w.files}
	report, err := b.Verify(ctx, Reading{Keys: w.Keys, Progress: w.Progress})
	var damage *Damage
	if errors.As(err, &damage) {
		if damage.File != manifestFile {
			_ = os.Remove(filepath.Join(w.files.dir, damage.File))
		}
		return nil, fmt.Errorf("%w; run the backup again, which copies it again", err)
	}
	if err != nil {
		return nil, err
	}
	if !report.Verified {
		m.Unverified = report.Findings[0].String()
	}
	return report, nil
}

func encodeList(blocks []Block) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	for _, b := range blocks {
		if err := encoder.Encode(b); err != nil {
			return nil, fmt.Errorf("encode the list of blocks: %w", err)
		}
	}
	return out.Bytes(), nil
}

// Blocks end where the sequence passes a multiple of blockSequences, so that the same messages fall into
// the same blocks whatever was added or removed elsewhere, and where they grow too large.
const (
	blockSequences = 1024
	blockBytes     = 4 << 20
)

// cutter writes messages as blocks.
type cutter struct {
	files   *store
	trust   bool // trust existing files
	blocks  []Block
	fresh   int // blocks written
	written int64

	open Block
	data bytes.Buffer
	w    *transfer.RecordWriter
}

func (c *cutter) add(r transfer.Record) error {
	if c.open.Messages > 0 && (r.Sequence/blockSequences != c.open.First/blockSequences || c.data.Len() >= blockBytes) {
		if err := c.end(); err != nil {
			return err
		}
	}
	if c.open.Messages == 0 {
		c.open.First = r.Sequence
		c.data.Reset()
		c.w = transfer.NewRecordWriter(&c.data)
	}
	c.open.Messages++
	c.open.Last = r.Sequence
	if err := c.w.Add(r); err != nil {
		return fmt.Errorf("encode message %d: %w", r.Sequence, err)
	}
	return nil
}

// end writes the open block.
func (c *cutter) end() error {
	if c.open.Messages == 0 {
		return nil
	}
	if err := c.w.End(); err != nil {
		return fmt.Errorf("encode a block: %w", err)
	}
	digest, stored, fresh, err := c.files.put(c.data.Bytes(), c.trust)
	if err != nil {
		return err
	}
	c.open.SHA256, c.open.Stored = digest, stored
	if fresh {
		c.fresh++
		c.written += stored
	}
	c.blocks = append(c.blocks, c.open)
	c.open = Block{}
	return nil
}
