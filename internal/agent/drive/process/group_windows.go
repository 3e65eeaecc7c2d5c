//go:build windows

package process

import (
	"errors"
	"os/exec"
)

// Windows has no signal that asks a group to end; closing the input asked.
func ownGroup(*exec.Cmd) {}

func interruptGroup(*exec.Cmd) {}

func stopGroup(*exec.Cmd) error { return errors.ErrUnsupported }

func continueGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
