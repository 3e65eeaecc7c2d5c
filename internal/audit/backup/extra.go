package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

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
