//go:build windows

package process

import (
	"errors"
	"os/exec"
)

// Windows has no signal that asks a group to exit; closing the input has to do.
func ownGroup(*exec.Cmd) {}

func interruptGroup(*exec.Cmd) {}

func stopGroup(*exec.Cmd) error { return errors.ErrUnsupported }

func continueGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
