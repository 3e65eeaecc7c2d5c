//go:build unix

package terminal

import (
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readerPause is how often an idle pipe is checked.
const readerPause = 200 * time.Millisecond

// UntilReaderLeaves returns a context that also ends when the reader of a pipe is gone, as in `watch | head
// -n 3`: with nothing more to write, no write would fail.
func UntilReaderLeaves(ctx context.Context, out io.Writer) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	file, ok := out.(*os.File)
	if !ok {
		return ctx, cancel
	}
	go func() {
		for ctx.Err() == nil {
			poll := []unix.PollFd{{Fd: int32(file.Fd())}}
			if n, err := unix.Poll(poll, 0); err == nil && n > 0 && poll[0].Revents&unix.POLLERR != 0 {
				cancel()
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(readerPause):
			}
		}
	}()
	return ctx, cancel
}
