//go:build unix

package embedded

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func room(dir string) (free, size uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	return uint64(s.Bavail) * uint64(s.Bsize), uint64(s.Blocks) * uint64(s.Bsize), nil //nolint:unconvert,gosec // the types differ by platform
}
