package codeindex

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxIndexBytes limits an index that is read: session.opened can hold 4 MiB.
const maxIndexBytes = 8 << 20

// Write writes the index as JSON, one symbol or file on each line, so that two indexes can be compared.
func (i *Index) Write(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "{\n\"scaffoldwatch_index\": %d,\n\"codebase\": {\n\"files\": ", i.Version)
	if err := errors.Join(
		writeList(w, i.Codebase.Files), writeText(w, ",\n\"symbols\": "),
		writeList(w, i.Codebase.Symbols), writeText(w, "\n},\n\"conventions\": "),
		writeList(w, i.Conventions), writeText(w, ",\n\"counts\": "),
	); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	counts, err := json.Marshal(i.Counts)
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	fmt.Fprintf(w, "%s\n}\n", counts)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

func writeText(w *bufio.Writer, text string) error {
	_, err := w.WriteString(text)
	return err
}

func writeList[T any](w *bufio.Writer, list []T) error {
	if len(list) == 0 {
		return writeText(w, "[]")
	}
	for n, item := range list {
		data, err := json.Marshal(item)
		if err != nil {
			return err
		}
		before := ",\n"
		if n == 0 {
			before = "[\n"
		}
		if err := errors.Join(writeText(w, before), writeText(w, string(data))); err != nil {
			return err
		}
	}
	return writeText(w, "\n]")
}

// WriteFile writes the index to a file, atomically.
func (i *Index) WriteFile(name string) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".scaffoldwatch-index-*")
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	err = errors.Join(i.Write(file), file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the index %s: %w", name, err), os.Remove(file.Name()))
	}
	return nil
}

// Read reads an index that Write wrote. The digest identifies its content.
func Read(name string, in io.Reader) (index *Index, digest string, err error) {
	data, err := io.ReadAll(io.LimitReader(in, maxIndexBytes+1))
	if err != nil {
		return nil, "", fmt.Errorf("read the index %s: %w", name, err)
	}
	if len(data) > maxIndexBytes {
		return nil, "", fmt.Errorf("%s: over %d bytes; an index of scaffoldwatch is smaller; create one with: scaffoldwatch index PATH", name, maxIndexBytes)
	}
	index = &Index{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(index); err != nil {
		return nil, "", fmt.Errorf("%s: not an index (%w); create one with: scaffoldwatch index PATH", name, err)
	}
	if index.Version != version {
		return nil, "", fmt.Errorf("%s: index version %d is not supported, this program reads version %d: rebuild it with `scaffoldwatch index PATH`", name, index.Version, version)
	}
	sum := sha256.Sum256(data)
	return index, hex.EncodeToString(sum[:6]), nil
}
