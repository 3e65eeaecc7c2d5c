package terminal

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far long work is, only on a terminal and on stderr, so that it never mixes with
// machine output.
type Progress struct{ bar *progressbar.ProgressBar }

// NewProgress starts a bar for total bytes or items (0: unknown).
func NewProgress(out io.Writer, what string, total int64, bytes bool) *Progress {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return &Progress{}
	}
	if total <= 0 {
		total = -1
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionClearOnFinish(),
	}
	if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns < narrow {
		options = append(options, progressbar.OptionSetWidth(10), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	} else {
		options = append(options, progressbar.OptionShowBytes(bytes), progressbar.OptionShowCount(), progressbar.OptionFullWidth())
	}
	return &Progress{progressbar.NewOptions64(total, options...)}
}

// narrow is the width in columns below which the figures would wrap, and a wrapped line cannot be removed.
const narrow = 60

// Add advances the bar.
func (p *Progress) Add(n int64) {
	if p.bar != nil {
		_ = p.bar.Add64(n)
	}
}

// Done removes the bar.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// Pause hides the bar while f writes.
func (p *Progress) Pause(f func()) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	f()
}
