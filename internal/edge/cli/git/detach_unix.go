//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// detach lets a process outlive the hook and its terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
