//go:build !unix

package terminal

import (
	"context"
	"io"
)

// UntilReaderLeaves returns a context that ends with ctx; on this system a pipe without a reader is noticed
// at the next write.
func UntilReaderLeaves(ctx context.Context, _ io.Writer) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}
