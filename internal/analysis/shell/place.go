package shell

import "mvdan.cc/sh/v3/syntax"

// place is where a node begins: a directory change inside parentheses ends with them.
type place struct {
	inner     bool
	directory string
	lost      bool
}

// inner reports whether a cd inside a node has no effect after it.
func inner(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
		return true
	}
	return false
}

// leave restores the place where a node began.
func (w *invocations) leave() {
	if len(w.open) == 0 {
		return
	}
	last := w.open[len(w.open)-1]
	if w.open = w.open[:len(w.open)-1]; last.inner {
		w.directory, w.lost = last.directory, last.lost
	}
}
