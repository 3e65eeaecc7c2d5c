//go:build !unix

package terminal

import (
	"context"
	"io"
)

// UntilReaderLeaves gives a context that ends with ctx; here a pipe whose reader
// is gone is noticed at the next write.
func UntilReaderLeaves(ctx context.Context, _ io.Writer) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}
