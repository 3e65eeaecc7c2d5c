//go:build unix

package sameplace

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

func user() string { return strconv.Itoa(os.Geteuid()) }

// identity returns the device and number of a folder: another disk at the same path has others.
func identity(info os.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "?"
	}
	return fmt.Sprintf("%d.%d", s.Dev, s.Ino)
}
