package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/strict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/transfer"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Backup is an open backup in a directory.
type Backup struct {
	*Manifest
	Signer  string // public key, [Unknown], or "" if it is not signed
	signers []string
	files   *store
}

// Is reports whether a directory holds a backup.
func Is(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil && info.Mode().IsRegular()
}

// Open reads the manifest of a backup; known are the keys that may have signed it.
func Open(dir string, known map[string]note.Verifier) (*Backup, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notBackup(dir)
	}
	if info, failed := os.Stat(dir); failed == nil && !info.IsDir() {
		return nil, fmt.Errorf("open the backup: %s is a file; %s", dir, nameBackup)
	}
	if err != nil {
		return nil, fmt.Errorf("open the backup: %w; %s", err, nameBackup)
	}
	m, signers, err := decodeManifest(data, known)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, manifestFile), err)
	}
	files, err := newStore(dir)
	if err != nil {
		return nil, err
	}
	b := &Backup{Manifest: m, signers: signers, files: files}
	if len(signers) > 0 {
		b.Signer = signers[0]
	}
	return b, nil
}

// Proven returns nil if a known key that counts has signed the backup. A revoked key does not count,
// whatever time the backup states: nothing but that key would vouch for the time, and no chain proves INPUT
// and the buckets (ADR 14).
func (b *Backup) Proven(keys chain.Keys) error {
	const name, again = "; name the key that signs backups with --key, or in security.trusted_keys", "; make another backup, or restore this one with --unverified"
	signer, revoked, err := keys.Judge(b.signers, b.Made)
	switch {
	case err != nil:
		return fmt.Errorf("%w%s", err, again)
	case signer == "":
		return errors.New("it is not signed" + name)
	case signer == Unknown:
		return errors.New("it is signed by " + Unknown + name)
	case !revoked.IsZero():
		return fmt.Errorf("%s: %s%s", chain.RevokedKey, chain.Doubt(signer, revoked), again)
	}
	b.Signer = signer
	return nil
}

const nameBackup = "name the directory of a backup that `scaffoldwatch backup` finished"

// notBackup returns the error for a directory without a manifest. A directory without foreign files can
// become a backup.
func notBackup(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("open the backup: %w; %s", err, nameBackup)
	}
	for _, e := range entries {
		if n := e.Name(); n != blocksFolder && n != "lock" && n != manifestFile+unfinished {
			return fmt.Errorf("%s holds other files (%s) and is not a backup: name an empty directory or that of an earlier backup", dir, n)
		}
	}
	return fmt.Errorf("%s: %w: it has no file %s, so no backup was finished there; %s", dir, ErrNoBackup, manifestFile, nameBackup)
}

func (b *Backup) stream(name string) (Stream, bool) {
	at := slices.IndexFunc(b.Streams, func(s Stream) bool { return s.Name == name })
	if at < 0 {
		return Stream{}, false
	}
	return b.Streams[at], true
}

// blocks reads the list of a stream's blocks and checks their order.
func (b *Backup) blocks(s Stream) (blocks []Block, err error) {
	data, err := b.files.get(s.List)
	if err != nil {
		return nil, placed(err, s.Name, Block{})
	}
	last, messages := uint64(0), uint64(0)
	for line := range bytes.Lines(data) {
		var block Block
		if err := strict.Decode(line, &block); err != nil {
			return nil, &Damage{File: manifestFile, Stream: s.Name, What: err.Error()}
		}
		if block.First <= last || block.Last < block.First {
			return nil, &Damage{File: manifestFile, Stream: s.Name, First: block.First, Last: block.Last, What: "the blocks are not in order"}
		}
		last = block.Last
		messages += uint64(block.Messages)
		blocks = append(blocks, block)
	}
	if messages != s.Messages || len(blocks) != s.Blocks || last > s.Last {
		return nil, &Damage{File: manifestFile, Stream: s.Name, What: fmt.Sprintf("the blocks hold %d messages up to %d, the manifest has %d up to %d", messages, last, s.Messages, s.Last)}
	}
	return blocks, nil
}

// placed adds to a damage error which messages the file should hold.
func placed(err error, stream string, block Block) error {
	var d *Damage
	if errors.As(err, &d) {
		d.Stream, d.First, d.Last = stream, block.First, block.Last
	}
	return err
}

// Records yields the messages of a stream. Their slices are valid until the next iteration.
func (b *Backup) Records(s Stream) iter.Seq2[transfer.Record, error] {
	return func(yield func(transfer.Record, error) bool) {
		blocks, err := b.blocks(s)
		if err != nil {
			yield(transfer.Record{}, err)
			return
		}
		for _, block := range blocks {
			err := b.read(s.Name, block, func(r transfer.Record) bool { return yield(r, nil) })
			if errors.Is(err, errStopped) {
				return
			}
			if err != nil {
				yield(transfer.Record{}, err)
				return
			}
		}
	}
}

// errStopped stops reading a block early.
var errStopped = errors.New("stopped")

func (b *Backup) read(stream string, block Block, take func(transfer.Record) bool) error {
	data, err := b.files.get(block.SHA256)
	if err != nil {
		return placed(err, stream, block)
	}
	messages, last := 0, uint64(0)
	err = transfer.ReadRecords(bytes.NewReader(data), func(r transfer.Record) error {
		if r.Sequence <= last || r.Sequence < block.First || r.Sequence > block.Last {
			return fmt.Errorf("message %d is not in its place", r.Sequence)
		}
		last = r.Sequence
		messages++
		if !take(r) {
			return errStopped
		}
		return nil
	})
	if errors.Is(err, errStopped) {
		return err
	}
	if err == nil && messages != block.Messages {
		err = fmt.Errorf("it holds %d messages instead of %d", messages, block.Messages)
	}
	if err != nil {
		return &Damage{File: fileOf(block.SHA256), Stream: stream, First: block.First, Last: block.Last, What: err.Error()}
	}
	return nil
}

// Stream implements [chain.Source].
func (b *Backup) Stream(_ context.Context, name events.Stream) (proof.Stream, error) {
	s, ok := b.stream(string(name))
	if !ok {
		return proof.Stream{Name: name, Missing: true}, nil
	}
	var config struct {
		MaxAge   time.Duration `json:"max_age"`
		MaxBytes int64         `json:"max_bytes"`
	}
	if err := json.Unmarshal(s.Config, &config); err != nil {
		return proof.Stream{}, fmt.Errorf("read the configuration of %s: %w", name, err)
	}
	return proof.Stream{Name: name, Created: s.Created, First: s.First, Last: s.Last, Kept: s.Messages, MaxAge: config.MaxAge, MaxBytes: max(config.MaxBytes, 0), Now: s.Taken}, nil
}

// Each implements [chain.Source].
func (b *Backup) Each(ctx context.Context, name events.Stream, through uint64, take func(proof.Message) error) error {
	s, ok := b.stream(string(name))
	if !ok {
		return nil
	}
	for r, err := range b.Records(s) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if r.Sequence > through {
			return nil
		}
		r.Data = bytes.Clone(r.Data)
		m, err := r.Message()
		if err != nil {
			return &Damage{File: manifestFile, Stream: s.Name, First: r.Sequence, Last: r.Sequence, What: err.Error()}
		}
		if err := take(m); err != nil {
			return err
		}
	}
	return nil
}

// Reading configures a verification.
type Reading struct {
	Keys     chain.Keys
	Anchors  []chain.Anchor
	Progress func(stream string, done, of uint64)
}

// Verify reads the whole backup: every file, and the chains of what stages recorded. It returns an error
// for a damaged file; faults of the record are in the report.
func (b *Backup) Verify(ctx context.Context, o Reading) (*chain.Report, error) {
	progress := o.Progress
	if progress == nil {
		progress = func(string, uint64, uint64) {}
	}
	for _, s := range b.Streams {
		if slices.Contains(chain.Streams, events.Stream(s.Name)) {
			continue // read with its chain
		}
		done := uint64(0)
		for _, err := range b.Records(s) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			if done++; done%progressEvery == 0 {
				progress(s.Name, done, s.Messages)
			}
		}
	}
	return chain.Verify(ctx, b, chain.Options{
		Partitions: b.Partitions, Keys: o.Keys, Anchors: o.Anchors,
		Progress: func(name events.Stream, read, of uint64) { progress(string(name), read, of) },
	})
}
