package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
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
func (w *invocations) written(s *syntax.Stmt) string { return pipes{w}.passed(s, "") }

// pipes follows text through the programs of a pipeline.
type pipes struct{ *invocations }

// passed returns what a statement writes whose input is known.
func (w pipes) passed(s *syntax.Stmt, in string) string {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			in = w.passed(c.X, in)
		}
		return w.passed(c.Y, in)
	case *syntax.CallExpr:
		args := w.words(c.Args)
		if len(args) > 0 && (args[0].text == "echo" || args[0].text == "printf") {
			return printed(args[0].text, args[1:]).text
		}
		given := w.redirected(s) // cat <<EOF | sh
		if in += given; in != "" && len(args) > 0 {
			if text, is := rewritten(args, in); is {
				return text
			}
		}
		return given
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

var heredocStart = pattern.Must(`<<-?[ \t]*['"\\]?([A-Za-z_][A-Za-z0-9_]*)['"]?`)

const placeholder = "‹heredoc:%d›"

// withoutHeredocs replaces heredoc bodies by placeholders, so that only the commands of a
// long line are parsed: parsing hostile text can take long, and bodies are plain text.
func withoutHeredocs(text string) (short string, bodies []string) {
	var out strings.Builder
	var waiting []string
	var body []string
	for line := range strings.Lines(text) {
		if len(waiting) > 0 {
			if strings.Trim(line, "\t\r\n") != waiting[0] {
				body = append(body, line)
				continue
			}
			fmt.Fprintf(&out, placeholder+"\n", len(bodies))
			bodies, body, waiting = append(bodies, strings.Join(body, "")), nil, waiting[1:]
		} else {
			for _, m := range heredocStart.FindAllStringSubmatch(line, -1) {
				waiting = append(waiting, m[1])
			}
		}
		out.WriteString(line)
	}
	return out.String(), bodies
}

// heredoc returns the body of a here-document, in which unknown $variables are kept as
// written.
func (r *run) heredoc(redirect *syntax.Redirect) string {
	if redirect.Hdoc == nil {
		return ""
	}
	text, err := expand.Document(r.expansion(), redirect.Hdoc)
	if err != nil {
		text = r.sourceOf(redirect.Hdoc)
		text = text[:strings.LastIndexByte(text, '\n')+1] // without the end mark
	}
	var n int
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "‹heredoc:") {
		n, err = strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(trimmed, "‹heredoc:"), "›"))
		if err == nil && n >= 0 && n < len(r.bodies) {
			return r.bodies[n]
		}
	}
	return text
}

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
