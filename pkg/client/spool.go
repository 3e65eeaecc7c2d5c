package client

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// spool keeps events in files of one folder while JetStream is unreachable (EV-11). A
// file holds one structured CloudEvent. Its name begins with an increasing number, so the
// order of names is the order of events, even when several processes share the folder. A
// file is removed only after INPUT has acknowledged its event; after a crash between the
// two the same event is sent again.
type spool struct {
	dir      string
	maxBytes int64
	now      func() time.Time

	writing sync.Mutex // guards the fields below
	looked  time.Time  // when the folder was last listed
	bytes   int64
	last    int64 // greatest number used
}

const (
	spoolSuffix = ".json"
	rejectedDir = "rejected" // events that INPUT permanently refused, kept for a person to inspect
	numberWidth = 20
)

func openSpool(options SpoolOptions, now func() time.Time) (*spool, error) {
	if options.Dir == "" {
		return nil, errors.New("spool requires a Dir")
	}
	if options.MaxBytes <= 0 {
		options.MaxBytes = DefaultSpoolBytes
	}
	if err := os.MkdirAll(filepath.Join(options.Dir, rejectedDir), 0o700); err != nil {
		return nil, fmt.Errorf("create the spool: %w", err)
	}
	return &spool{dir: options.Dir, maxBytes: options.MaxBytes, now: now}, nil
}

// list returns the names of the waiting files, oldest first.
func (s *spool) list() ([]string, error) {
	entries, err := os.ReadDir(s.dir) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	var out []string
	for _, entry := range entries {
		if _, _, ok := parseName(entry.Name()); ok {
			out = append(out, entry.Name())
		}
	}
	return out, nil
}

// empty reports whether the spool is empty. It reads no more of the folder than
// necessary.
func (s *spool) empty() (bool, error) {
	dir, err := os.Open(s.dir)
	if err != nil {
		return false, fmt.Errorf("read the spool: %w", err)
	}
	defer func() { _ = dir.Close() }()
	for {
		names, err := dir.Readdirnames(16)
		for _, name := range names {
			if _, _, ok := parseName(name); ok {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("read the spool: %w", err)
		}
	}
}

// add writes an event, synced to disk. It fails with [errSpoolFull] if there is no room.
func (s *spool) add(e events.Event) error {
	line, err := events.MarshalStructured(e)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.look(); err != nil {
		return err
	}
	if s.bytes+int64(len(line)) > s.maxBytes {
		return errSpoolFull
	}
	s.last = max(s.now().UnixNano(), s.last+1) // increases even if the clock went back
	if err := s.write(fileName(s.last, len(line)), line); err != nil {
		return err
	}
	s.bytes += int64(len(line))
	return nil
}

var errSpoolFull = errors.New("spool is full")

// look updates what is known of the folder, at most once a second: a full listing per
// event would cost more than the event. Other processes write there as well.
func (s *spool) look() error {
	if now := time.Now(); s.looked.IsZero() || now.Sub(s.looked) >= time.Second {
		waiting, err := s.list()
		if err != nil {
			return err
		}
		s.looked, s.bytes = now, 0
		for _, name := range waiting {
			number, size, _ := parseName(name)
			s.bytes += size
			s.last = max(s.last, number)
		}
	}
	return nil
}

// fileName returns a name made of number, size and a random part that keeps processes
// apart.
func fileName(number int64, size int) string {
	return fmt.Sprintf("%0*d-%d-%s%s", numberWidth, number, size, rand.Text()[:8], spoolSuffix)
}

func parseName(name string) (number, size int64, ok bool) {
	parts := strings.Split(strings.TrimSuffix(name, spoolSuffix), "-")
	if !strings.HasSuffix(name, spoolSuffix) || len(parts) != 3 || len(parts[0]) != numberWidth {
		return 0, 0, false
	}
	number, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return 0, 0, false
	}
	size, err = strconv.ParseInt(parts[1], 10, 64)
	return number, size, err == nil
}

// write writes a file completely or not at all.
func (s *spool) write(name string, data []byte) error {
	temporary := filepath.Join(s.dir, "."+name+".tmp")
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write to the spool: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(temporary, filepath.Join(s.dir, name))
	}
	if err != nil {
		return fmt.Errorf("write to the spool: %w", errors.Join(err, os.Remove(temporary)))
	}
	return s.syncFolder()
}

// syncFolder makes the new name durable. Systems that cannot sync a folder do not need
// it.
func (s *spool) syncFolder() error {
	dir, err := os.Open(s.dir)
	if err != nil {
		return fmt.Errorf("write to the spool: %w", err)
	}
	_ = dir.Sync()
	return dir.Close()
}

// read returns the event of a file, or fs.ErrNotExist if another process has already sent
// it.
func (s *spool) read(name string) (events.Event, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return events.Event{}, fmt.Errorf("read from the spool: %w", err)
	}
	return events.UnmarshalStructured(data)
}

// remove deletes a file. It is not an error if another process already did.
func (s *spool) remove(name string) error {
	if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear the spool: %w", err)
	}
	return nil
}

// reject sets aside a file that can never be sent.
func (s *spool) reject(name string) error {
	err := os.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, rejectedDir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("set a spooled event aside: %w", err)
	}
	return nil
}
