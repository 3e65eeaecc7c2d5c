package cli

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Input returns standard input as an interruptible reader: Ctrl-C or SIGTERM ends a pending read.
func (r *Call) Input() io.Reader {
	return &breakable{ctx: r.Context, in: r.Stdin}
}

// breakable starts reading with the first call of Read, so that a command which does not read its input
// leaves it alone.
type breakable struct {
	ctx  context.Context
	in   io.Reader
	pipe *io.PipeReader
}

func (b *breakable) Read(p []byte) (int, error) {
	if b.pipe == nil {
		var write *io.PipeWriter
		b.pipe, write = io.Pipe()
		go func() { // ends with the input, or with the process
			_, err := io.Copy(write, b.in)
			write.CloseWithError(err)
		}()
		context.AfterFunc(b.ctx, func() { write.CloseWithError(context.Cause(b.ctx)) })
	}
	return b.pipe.Read(p)
}

// ReadFile reads a file. Ctrl-C or SIGTERM ends waiting for a pipe without a writer.
func (r *Call) ReadFile(name string) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	read := make(chan content, 1)
	go func() { // ends with the file, or with the process
		data, err := os.ReadFile(name)
		read <- content{data, err}
	}()
	select {
	case c := <-read:
		return c.data, c.err
	case <-r.Done():
		return nil, fmt.Errorf("read %s: %w", name, context.Cause(r.Context))
	}
}
