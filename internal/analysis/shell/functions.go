package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// function is a function that the line defines.
type function struct {
	body   *syntax.Stmt
	source string // of the text that defines it
	called bool
}

// defines records a function, so that its body is read with the arguments of its calls.
func (w *invocations) defines(f *syntax.FuncDecl) bool {
	if f.Name == nil || len(w.functions) >= w.p.table.MaxItems {
		return false
	}
	w.functions[f.Name.Value] = &function{body: f.Body, source: w.source}
	return true
}

// perform reads the body of a called function.
func (w *invocations) perform(f *function, args []argument) {
	values := make([]string, len(args))
	for k, a := range args {
		values[k] = a.text
	}
	w.positional(values, func() { w.body(f) })
}

func (w *invocations) body(f *function) {
	f.called = true
	outer := w.source
	w.source = f.source
	w.depth++
	fed := map[*syntax.Stmt]string{}
	syntax.Walk(f.body, func(n syntax.Node) bool { return w.visit(n, fed) })
	w.depth--
	w.source = outer
}

// uncalled reads the functions that the line defines but does not call, since something
// else may call them.
func (w *invocations) uncalled() {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range w.functions {
			if !yield(name) {
				return
			}
		}
	}) {
		if f := w.functions[name]; !f.called {
			w.forget()
			w.body(f)
		}
	}
}

// detached returns the command that tmux or screen is given word by word.
func (w *invocations) detached(name string, args []argument) []argument {
	if name == "tmux" {
		at := slices.IndexFunc(args, func(a argument) bool {
			return slices.Contains([]string{"new", "new-session", "neww", "new-window", "splitw", "split-window", "respawn-pane", "popup"}, a.text)
		})
		if at < 0 {
			return nil
		}
		args = args[at+1:]
	} else if slices.ContainsFunc(args, func(a argument) bool { return a.text == "-X" || a.text == "-ls" || a.text == "-r" }) {
		return nil
	}
	return afterFlags(args, []string{"-s", "-n", "-c", "-t", "-F", "-e", "-x", "-y", "-l", "-S", "-dmS", "-h", "-p", "-T", "-L"})
}

// several returns the arguments that a word expands to: all given arguments, or the
// elements of an array.
func (w *invocations) several(word *syntax.Word) (list []argument, is bool) {
	if len(word.Parts) != 1 {
		return nil, false
	}
	part := word.Parts[0]
	if quoted, in := part.(*syntax.DblQuoted); in && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	p, in := part.(*syntax.ParamExp)
	if !in || p.Param == nil || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Length || p.Excl {
		return nil, false
	}
	switch name := p.Param.Value; {
	case (name == "@" || name == "*") && w.given != nil:
		return literal(w.given), true
	case p.Index != nil && w.arrays[name] != nil && strings.ContainsAny(w.sourceOf(p), "@*"):
		return w.arrays[name], true
	}
	return nil, false
}

// maxBraces bounds the words that braces expand to.
const maxBraces = 64
