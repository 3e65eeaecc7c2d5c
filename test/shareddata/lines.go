package shareddata

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
)

// EachLine passes every line of a compressed file of labels to take. An error
// names the file; one of opening it is wrapped.
func EachLine(path string, take func([]byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open labels: %w", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		if err := take(lines.Bytes()); err != nil {
			return fmt.Errorf("play %s: %w", filepath.Base(path), err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return nil
}
