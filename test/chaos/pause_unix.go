//go:build unix

package main

import (
	"syscall"
	"time"
)

// pause stops processes for a while, as a busy machine or a virtual one does, and
// lets them go on.
func pause(list []*process, howLong time.Duration) {
	pauseWhile(list, func() { time.Sleep(howLong) })
}

// pauseWhile stops processes while something is done.
func pauseWhile(list []*process, do func()) {
	deliver(list, syscall.SIGSTOP)
	do()
	deliver(list, syscall.SIGCONT)
}

func deliver(list []*process, what syscall.Signal) {
	for _, p := range list {
		p.mu.Lock()
		if p.command != nil && !p.killed {
			_ = p.command.Process.Signal(what)
		}
		p.mu.Unlock()
	}
}
