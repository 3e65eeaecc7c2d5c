//go:build !unix

package main

import "time"

// pause waits: this platform cannot stop a process and let it go on.
func pause(_ []*process, howLong time.Duration) { time.Sleep(howLong) }

func pauseWhile(_ []*process, do func()) { do() }
