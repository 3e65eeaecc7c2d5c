//go:build unix

package credential

import (
	"io/fs"
	"os"
	"syscall"
)

// shared reports whether a file belongs to another user or can be opened by others than its owner.
func shared(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm()&0o077 != 0 || ok && int(owner.Uid) != os.Geteuid()
}
