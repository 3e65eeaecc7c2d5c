//go:build !unix

package experiment

import "os/exec"

func ownGroup(*exec.Cmd)            {}
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
