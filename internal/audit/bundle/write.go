package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Export configures [Write].
type Export struct {
	Selection Selection
	// Manifest has the fields that the caller knows: partitions, build, rules, idle timeout and keys. Write
	// fills in the rest.
	Manifest Manifest
	Rules    []byte // rule overrides, nil if there are none
	// Applied returns the entry for a configuration hash, nil if it is not known. Applied itself may be
	// nil.
	Applied func(ctx context.Context, hash string) ([]byte, error)
	Anchors map[string][]byte // by name
	Signer  note.Signer       // of the manifest; nil leaves it unsigned
	// Progress, if not nil, is called now and then.
	Progress func(read uint64)
}

// Write writes a bundle of a source's content to out and returns its manifest. It reads each stream twice,
// DECISIONS once more, and holds none of them in memory. Equal content gives equal bytes.
func Write(ctx context.Context, out io.Writer, from chain.Source, e Export) (*Manifest, error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-export-")
	if err != nil {
		return nil, fmt.Errorf("find space for the export: %w", err)
	}
	defer os.RemoveAll(folder)
	heads, err := e.heads()
	if err != nil {
		return nil, err
	}
	w := &writing{Export: e, anchored: heads, from: from, folder: folder, recorded: identities{}, successions: map[events.Stream][]proof.Message{}}
	if err := w.streams(ctx); err != nil {
		return nil, err
	}
	if err := w.extras(ctx); err != nil {
		return nil, err
	}
	return &w.Manifest, w.pack(out)
}

// heads returns the heads of all anchors.
func (e Export) heads() (all []chain.Head, err error) {
	for name, data := range e.Anchors {
		heads, err := chain.AnchoredHeads(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, heads...)
	}
	return all, nil
}

// writing is one call of Write.
type writing struct {
	Export
	from     chain.Source
	folder   string // temporary folder of the files before they are packed
	recorded identities
	read     uint64
	// successions are the checkpoints that show who signed when (AU-3).
	successions map[events.Stream][]proof.Message
	anchored    []chain.Head
}

func (w *writing) streams(ctx context.Context) error {
	groups, through, err := w.Selection.groups(ctx, w.from)
	if err != nil {
		return err
	}
	w.Manifest.Version, w.Manifest.Selection, w.Manifest.Groups = Version, w.Selection.String(), groups
	for i := len(Streams) - 1; i >= 0; i-- { // so that what a stage refers to is in the range read before it
		if err := w.stream(ctx, i, through); err != nil {
			return err
		}
	}
	slices.Reverse(w.Manifest.Files)
	w.Manifest.Recorded = w.recorded.list()
	return nil
}

// extras adds the rules and the anchors.
func (w *writing) extras(ctx context.Context) error {
	var files []File
	add := func(name string, data []byte) error {
		f, err := w.create(name)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		made, closed := f.done()
		files = append(files, made)
		return errors.Join(err, closed)
	}
	if len(w.Rules) > 0 {
		if err := add(rulesFile, w.Rules); err != nil {
			return err
		}
	}
	if err := w.applied(ctx, add); err != nil {
		return err
	}
	if err := w.keyFiles(add); err != nil {
		return err
	}
	w.Manifest.Files = append(files, w.Manifest.Files...)
	files = nil
	var names []string
	for name := range w.Anchors {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := add(anchorFolder+path.Base(filepath.ToSlash(name)), w.Anchors[name]); err != nil {
			return err
		}
	}
	w.Manifest.Files = append(w.Manifest.Files, files...)
	return nil
}

// summed is a file with its size and digest.
type summed struct {
	*os.File
	name string
	sum  hash.Hash
	size int64
}

func (w *writing) create(name string) (*summed, error) {
	file, err := os.Create(filepath.Join(w.folder, strings.ReplaceAll(name, "/", "_")))
	if err != nil {
		return nil, fmt.Errorf("write the export: %w", err)
	}
	return &summed{File: file, name: name, sum: sha256.New()}, nil
}

func (f *summed) Write(data []byte) (int, error) {
	f.sum.Write(data)
	n, err := f.File.Write(data)
	f.size += int64(n)
	return n, err
}

func (f *summed) done() (File, error) {
	return File{Name: f.name, Size: f.size, SHA256: hex.EncodeToString(f.sum.Sum(nil))}, f.Close()
}

// pack writes the tar.
func (w *writing) pack(out io.Writer) error {
	manifest, err := w.Manifest.encode()
	if err != nil {
		return err
	}
	packed, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("start zstd: %w", err)
	}
	archive := tar.NewWriter(packed)
	add := func(name string, size int64, data io.Reader) error {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: fileMode, Size: size, ModTime: w.Manifest.Through.Truncate(time.Second), Format: tar.FormatPAX}); err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
		if _, err := io.Copy(archive, data); err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
		return nil
	}
	if err := add(manifestFile, int64(len(manifest)), bytes.NewReader(manifest)); err != nil {
		return err
	}
	if w.Signer != nil {
		signed, err := sign(manifest, w.Signer)
		if err != nil {
			return err
		}
		if err := add(signatureFile, int64(len(signed)), bytes.NewReader(signed)); err != nil {
			return err
		}
	}
	for _, f := range w.Manifest.Files {
		file, err := os.Open(filepath.Join(w.folder, strings.ReplaceAll(f.Name, "/", "_")))
		if err != nil {
			return fmt.Errorf("pack %s: %w", f.Name, err)
		}
		err = add(f.Name, f.Size, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

// counted calls Progress.
func (w *writing) counted() {
	if w.read++; w.Progress != nil && w.read%4096 == 0 {
		w.Progress(w.read)
	}
}

// Selection selects the groups of a bundle: that of a session, that of a run, or those with a decision in a
// period.
type Selection struct {
	Session, Run string
	Since, Until time.Time // Until is exclusive; zero means no limit
}

// String returns the selection in the syntax of the command.
func (s Selection) String() string {
	switch {
	case s.Session != "":
		return "--session " + s.Session
	case s.Run != "":
		return "--run " + s.Run
	}
	text := "--since " + s.Since.UTC().Format(time.RFC3339)
	if !s.Until.IsZero() {
		text += " --until " + s.Until.UTC().Format(time.RFC3339)
	}
	return text
}

// NothingError is returned if a selection matches nothing in the record.
type NothingError struct{ Selection string }

// Error names the selection.
func (e *NothingError) Error() string { return "nothing is recorded for " + e.Selection }

// groups returns the selected groups, sorted, and the last sequence of DECISIONS that was searched.
func (s Selection) groups(ctx context.Context, from chain.Source) ([]string, uint64, error) {
	facts, err := from.Stream(ctx, events.StreamDecisions)
	if err != nil {
		return nil, 0, fmt.Errorf("look up %s: %w", events.StreamDecisions, err)
	}
	found := map[string]bool{}
	if !facts.Missing {
		err = from.Each(ctx, events.StreamDecisions, facts.Last, func(m proof.Message) error {
			if at, ok := placeOf(m.Subject); ok && at.Group != "" && at.Kind != subjects.KindSnapshot && s.has(at, m.Time) {
				found[at.Group] = true
			}
			return nil
		})
	}
	if err != nil {
		return nil, 0, fmt.Errorf("look for %s: %w", s, err)
	}
	if len(found) == 0 {
		return nil, 0, &NothingError{s.String()}
	}
	return slices.Sorted(maps.Keys(found)), facts.Last, nil
}

func (s Selection) has(at subjects.Subject, when time.Time) bool {
	switch {
	case s.Session != "":
		return at.ID == s.Session
	case s.Run != "":
		return at.Group == s.Run
	}
	return !when.Before(s.Since) && (s.Until.IsZero() || when.Before(s.Until))
}
