//go:build !linux

package main

import (
	"errors"
	"time"
)

var errNoDisk = errors.New("only on Linux a node gets a small disk")

func mountDisk(string) error { return errNoDisk }

func unmountDisk(string) {}

func fillDisk(string, time.Duration) error { return errNoDisk }
