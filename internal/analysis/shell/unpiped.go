package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unpiped returns a command line without what hides its result: the pipes after a
// command, redirections of its output, `|| true`, and later statements that only print,
// so that a person who runs it sees the whole output (JD-40). It returns "" if nothing is
// left, or the line cannot be parsed.
func Unpiped(command string) string {
	file, err := safely(command)
	if err != nil || len(file.Stmts) == 0 {
		return ""
	}
	var kept []string
	for _, s := range file.Stmts {
		s = unpiped(s)
		if s.Background || len(kept) > 0 && prints(s) {
			continue
		}
		var out strings.Builder
		if syntax.NewPrinter(syntax.SingleLine(true)).Print(&out, s) != nil {
			return ""
		}
		kept = append(kept, strings.TrimSuffix(strings.TrimSpace(out.String()), ";"))
	}
	return strings.Join(kept, "; ")
}

// unpiped returns a statement's first stage with visible output.
func unpiped(s *syntax.Stmt) *syntax.Stmt {
	plain := *s
	plain.Redirs, plain.Comments = nil, nil
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			plain.Redirs = append(plain.Redirs, r)
		}
	}
	binary, is := s.Cmd.(*syntax.BinaryCmd)
	if !is {
		return &plain
	}
	switch binary.Op {
	case syntax.Pipe, syntax.PipeAll:
		return unpiped(binary.X)
	case syntax.OrStmt:
		if null(binary.Y) || prints(binary.Y) {
			return unpiped(binary.X)
		}
	case syntax.AndStmt:
		if prints(binary.Y) {
			return unpiped(binary.X)
		}
	}
	both := *binary
	both.X, both.Y = unpiped(binary.X), unpiped(binary.Y)
	plain.Cmd = &both
	return &plain
}

func null(s *syntax.Stmt) bool { return first(s) == "true" || first(s) == ":" }

// prints reports whether a statement only prints words of its own.
func prints(s *syntax.Stmt) bool { return first(s) == "echo" || first(s) == "printf" }

// first returns the name of a simple command, "" for anything else.
func first(s *syntax.Stmt) string {
	if call, is := s.Cmd.(*syntax.CallExpr); is && len(call.Args) > 0 {
		return call.Args[0].Lit()
	}
	return ""
}
