package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/strict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	maxManifest = 64 << 20
	maxSmall    = 1 << 20   // for rules, signature and anchors
	maxWindow   = 128 << 20 // for zstd
)

// fileMode is the mode of every file.
const fileMode = 0o644

// magic is how a zstd frame begins.
var magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Is reports whether a file begins like a bundle. It is false for a pipe, which would block until somebody
// writes to it.
func Is(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	begin := make([]byte, len(magic))
	_, err = io.ReadFull(file, begin)
	return err == nil && bytes.Equal(begin, magic)
}

// Bundle is an open bundle. Each method reads the file again, so its size does not matter. It reads the
// file that was opened even if another has its name by now, and checks it against the digests of the
// manifest that was read then.
type Bundle struct {
	Manifest Manifest
	opened   *os.File
	manifest []byte // as stored in the file
}

// Close closes the file.
func (b *Bundle) Close() { _ = b.opened.Close() } // it was only read

// Fault is a defect of a bundle, with its place.
type Fault struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"` // from 1
	Sequence uint64 `json:"sequence,omitempty"`
	What     string `json:"what"`

	ends bool // nothing after it can be read
}

// Error returns the place and the defect on one line, escaped for a terminal, since file names come from
// somebody else.
func (f *Fault) Error() string {
	place := f.File
	if f.Line > 0 {
		place += fmt.Sprintf(" line %d", f.Line)
	}
	if f.Sequence > 0 {
		place += fmt.Sprintf(" (sequence %d)", f.Sequence)
	}
	return quote.Visible(place + ": " + f.What)
}

// Open opens a bundle and reads its manifest. It returns a *[Fault] if the file is defective.
func Open(path string) (*Bundle, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the bundle: %w", err)
	}
	b := &Bundle{opened: file}
	if err := b.begin(); err != nil {
		_ = file.Close()
		return nil, err
	}
	return b, nil
}

// begin reads the manifest.
func (b *Bundle) begin() error {
	err := b.entries(func(name string, in io.Reader) error {
		if name != manifestFile {
			return &Fault{File: name, What: "the first file must be " + manifestFile}
		}
		data, err := small(name, in, maxManifest)
		if err != nil {
			return err
		}
		if err := strict.Decode(data, &b.Manifest); err != nil {
			return &Fault{File: name, What: "not a manifest: " + err.Error()}
		}
		if b.Manifest.Version != Version {
			return &Fault{File: name, What: fmt.Sprintf("a bundle of form %d; this build reads form %d", b.Manifest.Version, Version)}
		}
		if b.Manifest.Partitions < 1 || b.Manifest.Partitions > 1<<16 {
			return &Fault{File: name, What: fmt.Sprintf("%d partitions", b.Manifest.Partitions)}
		}
		b.manifest = data
		return errStop
	})
	if err == nil && b.manifest == nil {
		err = &Fault{File: manifestFile, What: "missing: the bundle is empty"}
	}
	return err
}

// errStop ends a pass early.
var errStop = errors.New("stop")

// entries calls take for each file of the tar.
func (b *Bundle) entries(take func(name string, in io.Reader) error) error {
	file := io.NewSectionReader(b.opened, 0, math.MaxInt64) // several readers may work at once
	unpacked, err := zstd.NewReader(bufio.NewReaderSize(file, 1<<20), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return fmt.Errorf("start zstd: %w", err)
	}
	defer unpacked.Close()
	archive := tar.NewReader(unpacked)
	last := "the beginning"
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return atEnd(unpacked, last)
		}
		if err != nil {
			return &Fault{File: "the bundle after " + last, What: "it is truncated or damaged: " + err.Error(), ends: true}
		}
		if header.Typeflag != tar.TypeReg || header.Mode != fileMode { // protects anybody who unpacks it
			return &Fault{File: header.Name, What: "it is not a plain file"}
		}
		last = header.Name
		if err := take(header.Name, damaged{archive, header.Name}); err != nil {
			if errors.Is(err, errStop) {
				return nil
			}
			return err
		}
	}
}

// atEnd rejects data after the end of the tar, which other programs might read.
func atEnd(unpacked io.Reader, last string) error {
	const padding = 1 << 20 // zeros up to a multiple of this are normal
	rest, err := io.ReadAll(io.LimitReader(unpacked, padding+1))
	switch {
	case err != nil:
		return &Fault{File: "the bundle after " + last, What: "it is truncated or damaged: " + err.Error(), ends: true}
	case len(rest) > padding || len(bytes.Trim(rest, "\x00")) > 0:
		return &Fault{File: "the bundle after " + last, What: "there is more after its end"}
	}
	return nil
}

// damaged wraps a read error with the name of the file.
type damaged struct {
	in   io.Reader
	name string
}

func (d damaged) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &Fault{File: d.name, What: "it is truncated or damaged: " + err.Error(), ends: true}
	}
	return n, err
}

// small reads a file of limited size.
func small(name string, in io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(data)) > most {
		err = &Fault{File: name, What: fmt.Sprintf("over %d bytes", most)}
	}
	return data, err
}

// read returns the content of a small file, nil if the bundle does not have it.
func (b *Bundle) read(name string, most int64) (data []byte, err error) {
	err = b.again(name, func(in io.Reader) error {
		data, err = small(name, in, most)
		return err
	})
	return data, err
}

// again reads a file if the bundle has it, and returns a *[Fault] if it differs from the one that was
// verified.
func (b *Bundle) again(name string, take func(io.Reader) error) error {
	at := slices.IndexFunc(b.Manifest.Files, func(f File) bool { return f.Name == name })
	if at < 0 {
		return nil
	}
	return b.entries(func(of string, in io.Reader) error {
		if of != name {
			return nil
		}
		if err := whole(b.Manifest.Files[at], in, take); err != nil {
			return err
		}
		return errStop
	})
}

// Stream implements [chain.Source]: the bundle holds a part of a stream, and does not know the rest.
func (b *Bundle) Stream(_ context.Context, name events.Stream) (proof.Stream, error) {
	at := slices.IndexFunc(b.Manifest.Files, func(f File) bool { return f.Stream == name })
	if at < 0 {
		return proof.Stream{Name: name, Missing: true}, nil
	}
	return proof.Stream{Name: name, Kept: uint64(b.Manifest.Files[at].Messages)}, nil
}

// Each implements [chain.Source]: messages are in the order of their partition, and are not checked (see
// [Bundle.Verify]).
func (b *Bundle) Each(ctx context.Context, stream events.Stream, through uint64, take func(proof.Message) error) error {
	name := fileOf(stream)
	return b.again(name, func(in io.Reader) error {
		return lines(name, in, func(_ int, m proof.Message) error {
			if m.Sequence > through {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return take(m)
		})
	})
}

// Heads returns the checkpoints that the bundle holds.
func (b *Bundle) Heads(ctx context.Context) (all []chain.Head, err error) {
	for _, stream := range Streams {
		err := b.Each(ctx, stream, math.MaxUint64, func(m proof.Message) error {
			if partition, ends := proof.Partition(m.Subject); ends {
				all = append(all, chain.Head{Stream: stream, Partition: partition, Sequence: m.Sequence, Digest: proof.Head(m.Data)})
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read %s of the bundle: %w", stream, err)
		}
	}
	return all, nil
}

// lines calls take for each message in a stream's file.
func lines(name string, in io.Reader, take func(number int, m proof.Message) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	number := 0
	for scanner.Scan() {
		number++
		m, err := decodeLine(scanner.Bytes())
		if err != nil {
			return &Fault{File: name, Line: number, What: err.Error()}
		}
		if err := take(number, m); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		var fault *Fault
		if errors.As(err, &fault) {
			return fault
		}
		return &Fault{File: name, Line: number + 1, What: err.Error()}
	}
	return nil
}

// summing counts and hashes what is read through it.
type summing struct {
	in   io.Reader
	sum  interface{ Write([]byte) (int, error) }
	size int64
}

func (s *summing) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	_, _ = s.sum.Write(p[:n])
	s.size += int64(n)
	return n, err
}

// whole reads a file and compares it with the manifest.
func whole(f File, in io.Reader, read func(io.Reader) error) error {
	digest := sha256.New()
	s := &summing{in: in, sum: digest}
	err := read(s)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, s); err != nil {
		return err
	}
	switch found := hex.EncodeToString(digest.Sum(nil)); {
	case s.size != f.Size:
		return &Fault{File: f.Name, What: fmt.Sprintf("%d bytes, but the manifest says %d", s.size, f.Size)}
	case found != f.SHA256:
		return &Fault{File: f.Name, What: fmt.Sprintf("its digest is %s…, but the manifest says %.16s…", found[:16], f.SHA256)}
	}
	return nil
}
