//go:build unix

package experiment

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd)        { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
