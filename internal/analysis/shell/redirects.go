package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Output is a file that a redirection writes.
type Output struct {
	Path   string
	Append bool
}

// outputs returns the files that a statement's redirections write.
func (w *invocations) outputs(s *syntax.Stmt) []Output {
	var list []Output
	for _, r := range s.Redirs {
		both := r.Op == syntax.DplOut && r.Word != nil && strings.Trim(r.Word.Lit(), "0123456789-") != ""
		if !writes(r) && !both || r.N != nil && r.N.Value != "1" {
			continue
		}
		if text, exact := w.word(r.Word); exact && text != "" && (!strings.HasPrefix(text, "/dev/") || disk(text)) {
			list = append(list, Output{w.resolve(text), r.Op == syntax.AppOut || r.Op == syntax.AppAll})
		}
	}
	return list
}

// disks are names of devices that store data.
var disks = []string{"sd", "nvme", "vd", "hd", "xvd", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md", "mem", "kmem", "port", "loop"}

// disk reports whether a path is a device that stores data.
func disk(name string) bool {
	return slices.ContainsFunc(disks, func(d string) bool { return strings.HasPrefix(name, "/dev/"+d) })
}

// written returns what a statement writes into a pipe, as far as the line contains it.
func (w *invocations) written(s *syntax.Stmt) string {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return w.written(c.Y)
	case *syntax.CallExpr:
		args := w.words(c.Args)
		if len(args) > 0 && (args[0].text == "echo" || args[0].text == "printf") {
			return printed(args[0].text, args[1:]).text
		}
		return w.redirected(s) // cat <<EOF | sh
	}
	return ""
}

// redirected returns the text of here-documents and here-strings.
func (w *invocations) redirected(s *syntax.Stmt) string {
	var out strings.Builder
	for _, r := range s.Redirs {
		from := r.Hdoc
		if r.Op == syntax.WordHdoc {
			from = r.Word
		}
		if from != nil {
			text, _ := w.word(from)
			out.WriteString(text + "\n")
		}
	}
	return out.String()
}

// files returns the files that a statement is redirected from and to.
func (w *invocations) files(s *syntax.Stmt) []string {
	var list []string
	for _, r := range s.Redirs {
		if r.Hdoc == nil && r.Op != syntax.WordHdoc {
			text, _ := w.word(r.Word)
			list = append(list, text)
		}
	}
	return list
}
