package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// stream is text that one stage of a pipeline passes to the next.
type stream struct {
	text  string
	known bool
}

// pipeline walks the stages of one pipeline: the first ones read, later ones narrow what
// is visible, and a redirect at the end hides it in a file.
func (r *run) pipeline(list []*syntax.Stmt) {
	before := len(r.out.Accesses)
	var in stream
	for i, s := range list {
		here := len(r.out.Accesses)
		in = r.stage(s, in, i > 0)
		if call, ok := s.Cmd.(*syntax.CallExpr); ok && i > 0 {
			r.narrow(r.out.Accesses[before:here], r.words(call.Args))
		}
	}
	if last := list[len(list)-1]; hidesOutput(last) {
		kept := r.out.Accesses[:before]
		for _, a := range r.out.Accesses[before:] {
			if a.Kind == sessionevents.AccessWrite {
				kept = append(kept, a) // what was written into a file was not visible
			}
		}
		r.out.Accesses = kept
	}
}

// stage walks one stage and returns its known output.
func (r *run) stage(s *syntax.Stmt, in stream, piped bool) stream {
	in, piped = r.inputOf(s, in, piped)
	var out stream
	if call, simple := s.Cmd.(*syntax.CallExpr); simple {
		if len(call.Args) == 0 {
			r.assign(call.Assigns)
		} else {
			out = r.command(r.words(call.Args), in, piped)
		}
	} else if s.Cmd != nil {
		r.compound(s.Cmd)
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect, out)
	}
	return out
}

// inputOf returns the input of a stage; a here-document takes precedence over the pipe.
func (r *run) inputOf(s *syntax.Stmt, in stream, piped bool) (stream, bool) {
	for _, redirect := range s.Redirs {
		switch redirect.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			return stream{r.heredoc(redirect), true}, true
		case syntax.WordHdoc:
			text, exact := r.word(redirect.Word)
			return stream{text + "\n", exact}, true
		case syntax.RdrIn:
			return stream{}, true
		}
	}
	return in, piped
}

// redirect records a file that output goes to.
func (r *run) redirect(d *syntax.Redirect, out stream) {
	if d.N != nil && d.N.Value != "1" {
		return // 2>errors
	}
	switch d.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		if target, exact := r.word(d.Word); exact {
			r.write(Write{
				Path: r.resolve(target), Content: out.text, Known: out.known,
				Append: d.Op == syntax.AppOut || d.Op == syntax.AppAll,
			})
		}
	}
}

func hidesOutput(s *syntax.Stmt) bool {
	for _, d := range s.Redirs {
		switch d.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			if d.N == nil || d.N.Value == "1" {
				return true
			}
		}
	}
	return false
}

// argument is a word of a command; exact is false if only the shell knows it.
type argument struct {
	text  string
	exact bool
}

func (r *run) words(list []*syntax.Word) []argument {
	out := make([]argument, len(list))
	for i, w := range list {
		out[i].text, out[i].exact = r.word(w)
	}
	return out
}

func joined(args []argument) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
	}
	return strings.Join(texts, " ")
}

// narrow adjusts the accesses of earlier stages to a later stage: head shows a range,
// grep turns reading into searching, most others hide which part was shown.
func (r *run) narrow(accesses []sessionevents.Access, args []argument) {
	name, args := r.p.unwrap(args)
	command := r.p.commands[name]
	if name == "" || command != nil && (command.Form == "whole" || command.Form == "tee") {
		return
	}
	for i := range accesses {
		a := &accesses[i]
		switch {
		case a.Kind == sessionevents.AccessWrite:
		case a.Kind != sessionevents.AccessRead:
			a.Query = strings.TrimSpace(a.Query + " | " + name + " " + joined(args))
		case command != nil && command.Form == "search":
			a.Kind, a.From, a.To = sessionevents.AccessSearch, 0, 0
			a.Query = r.searchQuery(command, args)
		default:
			from, to := rangeOf(command, args)
			a.From, a.To = within(a.From, a.To, from, to)
		}
	}
}

// within returns the part from–to of the lines a–b.
func within(a, b, from, to int) (int, int) {
	if from == Unknown || a == Unknown {
		return Unknown, Unknown
	}
	if a == 0 {
		a = 1
	}
	first := a + max(from, 1) - 1
	last := b
	if to > 0 && (b == 0 || a+to-1 < b) {
		last = a + to - 1
	}
	if first == 1 && last == 0 {
		first = 0
	}
	return first, last
}
