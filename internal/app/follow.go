package app

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// followPause is how long a tail waits before it looks for more.
const followPause = 200 * time.Millisecond

// Follow makes the inputs grow: at the end of a file its reader waits for what
// is appended, until ctx ends. Standard input waits by itself.
func (t *Transcripts) Follow(ctx context.Context) error {
	for i, in := range t.List {
		open := in.open
		t.List[i].open = func() (io.ReadCloser, error) {
			file, err := open()
			if err != nil {
				return nil, err
			}
			if f, ok := file.(*os.File); ok {
				return &tail{ctx: ctx, file: f}, nil
			}
			return file, nil
		}
	}
	if len(t.List) != 1 {
		return errors.New("one file can be followed, not a folder")
	}
	return nil
}

// tail reads a file that grows; the end of ctx is its end.
type tail struct {
	ctx  context.Context
	file *os.File
}

func (t *tail) Read(p []byte) (int, error) {
	for {
		n, err := t.file.Read(p)
		if n > 0 || err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		select {
		case <-t.ctx.Done():
			return 0, io.EOF
		case <-time.After(followPause):
		}
	}
}

func (t *tail) Close() error { return t.file.Close() }
