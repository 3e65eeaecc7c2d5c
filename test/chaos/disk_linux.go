package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// diskSize is the size of the small disk of one node.
const diskSize = 512 << 20

// mountDisk gives a node's store a disk of its own, so that it can be full. The error says so if this
// process may not mount one.
func mountDisk(at string) error {
	if err := os.MkdirAll(at, 0o700); err != nil {
		return fmt.Errorf("make a directory for a disk: %w", err)
	}
	if err := syscall.Mount("tmpfs", at, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", diskSize)); err != nil {
		return fmt.Errorf("mount a small disk: %w", err)
	}
	return nil
}

func unmountDisk(at string) { _ = syscall.Unmount(at, syscall.MNT_DETACH) }

// fillDisk fills a disk for a while and then frees it.
func fillDisk(at string, howLong time.Duration) (err error) {
	ballast := filepath.Join(at, "ballast")
	file, err := os.Create(ballast)
	if err != nil {
		return fmt.Errorf("fill a disk: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(ballast)) }()
	for zeros := make([]byte, 1<<20); len(zeros) > 0; {
		if _, err := file.Write(zeros); errors.Is(err, syscall.ENOSPC) {
			zeros = zeros[:len(zeros)/2] // down to the last byte
		} else if err != nil {
			return fmt.Errorf("fill a disk: %w", err)
		}
	}
	time.Sleep(howLong)
	return nil
}
