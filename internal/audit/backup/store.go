package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// Names in the directory of a backup.
const (
	manifestFile = "BACKUP"
	blocksFolder = "blocks"
	blockSuffix  = ".zst"
	unfinished   = ".part" // suffix of a file that is being written
)

// store is the directory of a backup. It may hold raw input, so only its owner can read it.
type store struct {
	dir string
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// maxBlock limits the uncompressed size of a block.
const maxBlock = 64 << 20

func newStore(dir string) (*store, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return &store{dir: dir, enc: enc, dec: dec}, nil
}

func (s *store) path(digest string) string { return filepath.Join(s.dir, fileOf(digest)) }

// fileOf returns the name of a block's file in the directory.
func fileOf(digest string) string {
	return filepath.Join(blocksFolder, digest[:2], digest+blockSuffix)
}

// Damage is the error for a file of a backup that differs from what was written.
type Damage struct {
	File   string // in the directory
	Stream string
	First  uint64 // first and last message that it should hold
	Last   uint64
	What   string
}

// Error describes the damage on one line, escaped for a terminal.
func (d *Damage) Error() string { return quote.Visible(d.text()) }

func (d *Damage) text() string {
	if d.Stream == "" {
		return fmt.Sprintf("damaged backup: %s: %s", d.File, d.What)
	}
	if d.Last == 0 {
		return fmt.Sprintf("damaged backup: %s, the list of the blocks of %s: %s", d.File, d.Stream, d.What)
	}
	return fmt.Sprintf("damaged backup: %s, messages %d to %d of %s: %s", d.File, d.First, d.Last, d.Stream, d.What)
}

// get reads a block and checks its digest.
func (s *store) get(digest string) ([]byte, error) {
	if len(digest) != hex.EncodedLen(sha256.Size) || strings.ContainsAny(digest, `/\.`) {
		return nil, &Damage{File: manifestFile, What: fmt.Sprintf("%.80q is not a digest", digest)}
	}
	path := s.path(digest)
	name := fileOf(digest)
	packed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Damage{File: name, What: "the file is missing"}
	}
	if err != nil {
		return nil, fmt.Errorf("read the backup: %w", err)
	}
	data, err := s.dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, &Damage{File: name, What: "it was truncated or edited (" + err.Error() + ")"}
	}
	if found := digestOf(data); found != digest {
		return nil, &Damage{File: name, What: "its content does not match its name: " + found[:16] + "…"}
	}
	return data, nil
}

// size returns the size of a block's file, 0 if there is none.
func (s *store) size(digest string) int64 {
	info, err := os.Stat(s.path(digest))
	if err != nil {
		return 0
	}
	return info.Size()
}

// put writes a block unless it exists. A file of its name with other content is replaced.
func (s *store) put(data []byte, trust bool) (digest string, stored int64, fresh bool, err error) {
	digest = digestOf(data)
	if stored = s.size(digest); stored > 0 {
		if trust {
			return digest, stored, false, nil
		}
		if _, err := s.get(digest); err == nil {
			return digest, stored, false, nil
		}
	}
	packed := s.enc.EncodeAll(data, nil)
	if err := os.MkdirAll(filepath.Dir(s.path(digest)), 0o700); err != nil {
		return digest, 0, false, fmt.Errorf("write the backup: %w", err)
	}
	if err := replace(s.path(digest), packed); err != nil {
		return digest, 0, false, err
	}
	return digest, int64(len(packed)), true, nil
}

// replace writes a file atomically: afterwards it has either the old content or the new.
func replace(path string, data []byte) error {
	part := path + unfinished
	// An existing file may belong to somebody else, who could read it, or be a link to another file.
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write the backup: %w", err)
	}
	file, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part)
		return fmt.Errorf("write the backup (the earlier one in this directory is unharmed): %w", err)
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes renames survive a power failure where the system can.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	_ = folder.Sync() // not supported by every file system
	return folder.Close()
}

// sweep removes blocks that are not kept, and unfinished files.
func (s *store) sweep(kept map[string]bool) (removed int, err error) {
	err = filepath.WalkDir(filepath.Join(s.dir, blocksFolder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name := entry.Name()
		if strings.HasSuffix(name, blockSuffix) && kept[strings.TrimSuffix(name, blockSuffix)] {
			return nil
		}
		removed++
		return os.Remove(path)
	})
	if err != nil {
		return removed, fmt.Errorf("remove what is no longer part of the backup: %w", err)
	}
	return removed, nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Extra lists what a directory holds beside its backup. A restore ignores it.
type Extra struct {
	Foreign    []string // names that no backup writes, escaped for a terminal
	Unfinished int      // files of a backup that was interrupted or is in progress
}

// Extra returns what the directory holds that the backup does not name.
func (b *Backup) Extra() (extra Extra, err error) {
	kept, err := b.kept()
	if err != nil {
		return extra, err
	}
	err = b.files.each("", func(name string, _ fs.DirEntry) error {
		switch name {
		case manifestFile, blocksFolder, "lock", "lost+found":
		case manifestFile + unfinished:
			extra.Unfinished++
		default:
			extra.foreign(name)
		}
		return nil
	})
	if err != nil {
		return extra, err
	}
	return extra, b.files.each(blocksFolder, func(folder string, entry fs.DirEntry) error {
		if !entry.IsDir() {
			extra.foreign(folder)
			return nil
		}
		return b.files.each(folder, func(name string, _ fs.DirEntry) error {
			if !kept[name] {
				extra.block(name)
			}
			return nil
		})
	})
}

// block counts a file that is named like a block, of another backup; any other is foreign.
func (e *Extra) block(name string) {
	digest := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), unfinished), blockSuffix)
	if raw, err := hex.DecodeString(digest); err != nil || len(raw) != sha256.Size || strings.TrimSuffix(name, unfinished) != fileOf(digest) {
		e.foreign(name)
		return
	}
	e.Unfinished++
}

func (e *Extra) foreign(name string) { e.Foreign = append(e.Foreign, quote.Visible(name)) }

// kept returns the files that the backup names.
func (b *Backup) kept() (map[string]bool, error) {
	kept := map[string]bool{}
	for _, s := range b.Streams {
		blocks, err := b.blocks(s)
		if err != nil {
			return nil, err
		}
		kept[fileOf(s.List)] = true
		for _, block := range blocks {
			kept[fileOf(block.SHA256)] = true
		}
	}
	return kept, nil
}

// each calls take for each entry of a folder.
func (s *store) each(folder string, take func(name string, entry fs.DirEntry) error) error {
	entries, err := os.ReadDir(filepath.Join(s.dir, folder))
	if err != nil {
		return fmt.Errorf("look through the directory of the backup: %w", err)
	}
	for _, entry := range entries {
		if err := take(filepath.Join(folder, entry.Name()), entry); err != nil {
			return err
		}
	}
	return nil
}
