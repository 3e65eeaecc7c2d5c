//go:build unix

package engine

import (
	"time"

	"golang.org/x/sys/unix"
)

// computed returns the processor time that this process has used, by all its threads.
func computed() time.Duration {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
