package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Idle reports whether a command line runs nothing: it is empty, a comment, or consists
// only of null commands, which ignore their arguments (`: ls -la`). A command that
// follows them after && does run.
func Idle(command string, null []string) bool {
	file, err := safely(command)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(file.Stmts, func(s *syntax.Stmt) bool { return runs(s, null) })
}

// Broken reports whether a shell cannot parse a command line.
func Broken(command string) bool {
	_, err := safely(command)
	return err != nil
}

// safely is parse for input that may make the library panic; it then returns a text
// without commands that cannot be parsed.
func safely(command string) (file *syntax.File, err error) {
	defer func() {
		if recover() != nil {
			file, err = &syntax.File{}, syntax.LangError{} // hostile input made the library panic
		}
	}()
	return parse(command)
}

// runs reports whether a statement runs anything but null commands. These succeed, so a
// command after || never runs, and one that reads from them through a pipe reads nothing.
func runs(s *syntax.Stmt, null []string) bool {
	if s == nil || slices.ContainsFunc(s.Redirs, writes) {
		return s != nil
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return runs(c.X, null) || c.Op == syntax.AndStmt && runs(c.Y, null)
	case *syntax.CallExpr:
		return len(c.Assigns) > 0 || len(c.Args) > 0 && !ignores(c.Args, null)
	}
	return s.Cmd != nil
}

// plain returns the text of a word without expansions, quoted or not: `:""` is `:`.
func plain(parts []syntax.WordPart) (text string, ok bool) {
	for _, part := range parts {
		said := ""
		switch p := part.(type) {
		case *syntax.Lit:
			said = p.Value
		case *syntax.SglQuoted:
			said = p.Value
		case *syntax.DblQuoted:
			if said, ok = plain(p.Parts); !ok && len(p.Parts) > 0 {
				return "", false
			}
		default:
			return "", false
		}
		text += said
	}
	return text, len(parts) > 0
}

// ignores reports whether a command is a null command, which ignores its arguments.
func ignores(words []*syntax.Word, null []string) bool {
	name, ok := plain(words[0].Parts)
	return ok && slices.Contains(null, name) && !expands(words)
}

// writes reports whether a redirection creates or changes a file.
func writes(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		return r.Word != nil && r.Word.Lit() != "/dev/null"
	}
	return false
}

// expands reports whether expanding the words runs or assigns something.
func expands(words []*syntax.Word) bool {
	found := false
	for _, w := range words {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst:
				found = true
			case *syntax.ParamExp:
				found = found || n.Exp != nil
			}
			return !found
		})
	}
	return found
}

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
