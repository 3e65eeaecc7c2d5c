package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	// followPause is how long a tail waits before it looks for more.
	followPause = 200 * time.Millisecond
	// lookPause is the interval between two scans of folders.
	lookPause = time.Second
	// shortRest and longRest are how long a file must not have grown before its last response counts as
	// complete: one that says that it ended, and one that says nothing of it. A model may write on one call
	// for minutes.
	shortRest, longRest = 5 * time.Second, 5 * time.Minute
	// maxFollowed limits how many files are followed at a time; others wait.
	maxFollowed = 256
)

// Following follows files and folders: each file at its own pace, new ones as they appear, truncated or
// replaced ones from their beginning. Events that are published twice have the same ids (EV-2), so it can
// stop and restart at any time.
type Following struct {
	Options transcript.Options
	// Take receives every event, one at a time.
	Take func(events.Event) error
	// Done receives the outcome of a file that is no longer followed.
	Done func(Summary, error)
	// Notice shows people that files are waiting.
	Notice func(text string)
	// Rests replaces, where it is set, how long a file must not have grown before its last response counts
	// as complete: one that says that it ended, and one that says nothing of it.
	Rests [2]time.Duration

	one   sync.Mutex // guards Take, Done and what is below
	files map[string]*followed
	crowd bool // whether Notice was called
	stop  context.CancelCauseFunc
}

// followed is one file.
type followed struct {
	open   bool
	passed int64  // size at which it was not a transcript; it may become one
	read   string // state in which a document was read to its end
}

// Follow follows paths until ctx ends. It fails if an event is not accepted or a named file is not a
// transcript.
func (f *Following) Follow(ctx context.Context, paths []string) error {
	f.files, f.Options.Follow = map[string]*followed{}, true
	ctx, f.stop = context.WithCancelCause(ctx)
	defer f.stop(nil)
	var readers sync.WaitGroup
	defer readers.Wait()
	for {
		found, err := Find(paths, nil)
		if err != nil && len(f.files) == 0 {
			return err
		}
		if err == nil { // otherwise a file was removed during the scan
			for _, in := range f.due(found.List) {
				readers.Go(func() { f.read(ctx, in) })
			}
		}
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		case <-time.After(lookPause):
		}
	}
}

// due returns the files to start with.
func (f *Following) due(list []Transcript) (out []Transcript) {
	f.one.Lock()
	defer f.one.Unlock()
	open := 0
	for _, one := range f.files {
		if one.open {
			open++
		}
	}
	for _, in := range list {
		one := f.files[in.path]
		if one == nil {
			one = &followed{passed: -1}
			f.files[in.path] = one
		}
		if one.open || one.passed == size(in.path) || one.read != "" && one.read == state(in.path) {
			continue
		}
		if open >= maxFollowed {
			f.crowded()
			break
		}
		open, one.open = open+1, true
		out = append(out, in)
	}
	return out
}

func (f *Following) crowded() {
	if !f.crowd {
		f.crowd = true
		f.Notice(fmt.Sprintf("%d files are followed; the others wait until one of them ends", maxFollowed))
	}
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// state returns when a file was last written, and its size.
func state(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// read follows one file until ctx ends or the file is replaced.
func (f *Following) read(ctx context.Context, in Transcript) {
	before, written := size(in.path), state(in.path)
	open := in.open
	in.open = func() (io.ReadCloser, error) {
		file, err := open()
		if err != nil {
			return nil, err
		}
		rests := f.Rests
		if rests == [2]time.Duration{} {
			rests = [2]time.Duration{shortRest, longRest}
		}
		return &tail{ctx: ctx, ReadCloser: file, path: in.path, waits: in.named, rests: rests, grew: time.Now()}, nil
	}
	alone := &Inputs{used: map[string]bool{}}
	var failed error
	summary, err := alone.Read(ctx, in, f.Options, func(int64) {}, func(e events.Event) error {
		f.one.Lock()
		defer f.one.Unlock()
		failed = f.Take(e)
		return failed
	})
	f.one.Lock()
	defer f.one.Unlock()
	one := f.files[in.path]
	one.open = false
	if one.passed = -1; summary.Format == "" || err != nil {
		one.passed = before // it is tried again once it has grown
	}
	if one.read = ""; summary.Document && err == nil {
		one.read = written
	}
	if ctx.Err() != nil && failed == nil {
		err = nil
	}
	f.Done(summary, err)
	if failed != nil || err != nil && in.named {
		f.stop(err)
	}
}

// tail reads a growing file. It ends with ctx, and when the file is truncated or replaced.
type tail struct {
	io.ReadCloser
	ctx   context.Context
	path  string
	at    int64
	waits bool // wait for more; otherwise the end of the file is the end for now

	grew   time.Time // last time that there was something to read
	rests  [2]time.Duration
	rested func(long bool) error // called once after each rest; nil before the format is known
	calls  int                   // of rested since the file grew
}

func (t *tail) Read(p []byte) (int, error) {
	for {
		n, err := t.ReadCloser.Read(p)
		t.at += int64(n)
		if n > 0 || err != nil && !errors.Is(err, io.EOF) {
			t.grew, t.calls = time.Now(), 0
			return n, err
		}
		if !t.waits || t.gone() {
			return 0, io.EOF
		}
		if t.rested != nil && t.calls < len(t.rests) && time.Since(t.grew) >= t.rests[t.calls] {
			t.calls++
			if err := t.rested(t.calls == len(t.rests)); err != nil {
				return 0, err
			}
			continue
		}
		select {
		case <-t.ctx.Done():
			return 0, io.EOF
		case <-time.After(followPause):
		}
	}
}

// gone reports whether the file no longer holds what was read.
func (t *tail) gone() bool {
	there, err := os.Stat(t.path)
	if err != nil || there.Size() < t.at {
		return true
	}
	file, is := t.ReadCloser.(*os.File)
	if !is {
		return false
	}
	mine, err := file.Stat()
	return err != nil || !os.SameFile(there, mine)
}
