package notify

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a byte far beyond the process id, which others may still read.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{Offset: 1 << 30})
}
