package embedded

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// serverLog forwards the server's log lines, and notes the one that says that its storage failed.
type serverLog struct {
	log    *slog.Logger
	broken *broken
}

func (l *serverLog) Noticef(f string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(f, v...)) }
func (l *serverLog) Warnf(f string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(f, v...)) }
func (l *serverLog) Fatalf(f string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(f, v...)) }
func (l *serverLog) Debugf(f string, v ...any)  {}
func (l *serverLog) Tracef(f string, v ...any)  {}

// Errorf also notes what broke.
func (l *serverLog) Errorf(f string, v ...any) {
	line := fmt.Sprintf(f, v...)
	l.log.Error("nats: " + line)
	l.broken.hear(line)
}

// storageFails are parts of the server's lines about storage that it writes to no more.
var storageFails = []string{"critical write error", "no space left on device", "will be disabled"}

// broken is the first line of the server that says that its storage failed.
type broken struct {
	mu   sync.Mutex
	line string
}

func (b *broken) hear(line string) {
	low := strings.ToLower(line)
	for _, part := range storageFails {
		if strings.Contains(low, part) {
			b.mu.Lock()
			if b.line == "" {
				b.line = line
			}
			b.mu.Unlock()
			return
		}
	}
}

func (b *broken) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.line
}
