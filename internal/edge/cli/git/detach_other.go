//go:build !unix

package git

import "os/exec"

// detach does nothing on this system: the process outlives the hook anyway.
func detach(*exec.Cmd) {}
