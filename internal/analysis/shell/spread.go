package shell

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// standing are variables whose value is the same wherever a line runs, for our purposes.
var standing = map[string]string{"PWD": ".", "SHELL": "sh", "BASH": "bash"}

// changesFolder reports whether a command changes where later ones run.
func changesFolder(name string) bool {
	return name == "cd" || name == "pushd" || name == "popd" || name == "eval"
}

func literal(words []string) []argument {
	out := make([]argument, len(words))
	for i, w := range words {
		out[i] = argument{w, true}
	}
	return out
}

// spread follows programs that run a command for each of some words: xargs, with its
// input, and parallel. It reports whether there was one.
func (w *invocations) spread(args []argument, i Invocation) bool {
	at := slices.IndexFunc(args[:min(len(args), maxWrapped)], func(a argument) bool { return path.Base(a.text) == "xargs" || path.Base(a.text) == "parallel" })
	if at < 0 || w.depth >= maxDepth || !w.wraps(args[:at]) {
		return false
	}
	wrapper := w.p.wrappers[path.Base(args[at].text)]
	if len(wrapper) == 0 {
		return false
	}
	rest, mark := replaced(args[at+1:], wrapper[0].Values)
	parallel := path.Base(args[at].text) == "parallel"
	words := strings.FieldsFunc(i.Input, func(c rune) bool { return c == '\n' || c == 0 || c == ' ' && mark == "" && !parallel })
	var named [][]argument
	if parallel {
		rest, words, named = w.listed(rest, words)
		if mark == "" {
			mark = "{}"
		}
		if len(rest) == 0 {
			for _, script := range words {
				w.script(script)
			}
			return true
		}
	}
	if len(rest) == 0 {
		return false
	}
	i.Input, i.Fed = "", true
	w.depth++
	defer func() { w.depth-- }()
	if named == nil {
		named = w.filled(rest, mark, words)
	}
	for _, one := range named {
		w.invoke(one, i)
	}
	return true
}

// assigned returns the variables that are set for one command, as far as the line
// contains their values.
func (w *invocations) assigned(list []*syntax.Assign) (out []string) {
	for _, a := range list {
		if a.Name != nil {
			text, _ := w.word(a.Value)
			out = append(out, a.Name.Value+"="+text)
		}
	}
	return out
}

// maxWrapped bounds the programs in front of a command.
const maxWrapped = 8

// wraps reports whether all words belong to programs that run what follows.
func (w *invocations) wraps(args []argument) bool {
	return len(args) == 0 || isAssignment(args[0].text) || w.p.wrapper(append(slices.Clone(args), argument{"x", true})) != nil
}

// replaced returns the words after the flags of xargs or parallel, and the mark that its
// words replace.
func replaced(args []argument, values []string) (rest []argument, mark string) {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") && args[0].text != "-" {
		flag := args[0].text
		args = args[1:]
		switch {
		case flag == "--":
			return args, mark
		case (flag == "-I" || flag == "-J") && len(args) > 0:
			mark, args = args[0].text, args[1:]
		case strings.HasPrefix(flag, "-I"):
			mark = flag[2:]
		case flag == "-i", flag == "--replace", flag == "--replace=":
			mark = "{}"
		case strings.HasPrefix(flag, "--replace="):
			mark = strings.TrimPrefix(flag, "--replace=")
		case slices.Contains(values, flag) && len(args) > 0:
			args = args[1:]
		}
	}
	return args, mark
}

// listed separates the words that parallel is given after ::: from its command. If the
// command names the groups ({1}, {2}), each combination of their words is a command of
// its own.
func (w *invocations) listed(args []argument, words []string) (rest []argument, list []string, named [][]argument) {
	at := slices.IndexFunc(args, func(a argument) bool { return strings.HasPrefix(a.text, ":::") })
	if at < 0 {
		return args, words, nil
	}
	rest = slices.Clone(args[:at])
	var groups [][]string
	for _, a := range args[at:] {
		if strings.HasPrefix(a.text, ":::") {
			groups = append(groups, nil)
			continue
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], a.text)
	}
	if !slices.ContainsFunc(rest, func(a argument) bool { return strings.Contains(a.text, "{1}") || strings.Contains(a.text, "{2}") }) {
		return rest, groups[0], nil
	}
	named = [][]argument{rest}
	for k, group := range groups {
		mark := "{" + strconv.Itoa(k+1) + "}"
		var next [][]argument
		for _, one := range named {
			for _, word := range group {
				filled := slices.Clone(one)
				for n := range filled {
					filled[n].text = strings.ReplaceAll(filled[n].text, mark, word)
				}
				if next = append(next, filled); len(next) >= w.p.table.MaxLoop {
					break
				}
			}
		}
		named = next
	}
	return rest, nil, named
}

// filled returns the commands with each word inserted: at the mark, otherwise at the end,
// where unknown words are written as {}.
func (w *invocations) filled(rest []argument, mark string, words []string) [][]argument {
	words = words[:min(len(words), w.p.table.MaxLoop)]
	has := mark != "" && slices.ContainsFunc(rest, func(a argument) bool { return strings.Contains(a.text, mark) })
	switch {
	case has && len(words) == 0:
		words = []string{"{}"}
	case !has && len(words) == 0 && w.p.shells[path.Base(rest[0].text)] &&
		!strings.HasPrefix(rest[len(rest)-1].text, "-"):
		// The script gets them as $1, $2 …
		return [][]argument{append(slices.Clone(rest), argument{"{}", false})}
	case !has && len(words) == 0:
		return [][]argument{rest}
	case !has:
		return [][]argument{slices.Concat(rest, literal(words))}
	}
	var out [][]argument
	for _, word := range words {
		one := slices.Clone(rest)
		for k := range one {
			one[k].text = strings.ReplaceAll(one[k].text, mark, word)
		}
		out = append(out, one)
	}
	return out
}

// loops records the values of the variable of a for loop, if the line contains them.
func (w *invocations) loops(c *syntax.ForClause) {
	words, is := c.Loop.(*syntax.WordIter)
	if !is {
		return
	}
	name := words.Name.Value
	delete(w.variables, name)
	delete(w.items, name)
	list := w.words(words.Items)
	if len(list) == 0 || len(list) > w.p.table.MaxLoop || slices.ContainsFunc(list, func(a argument) bool { return !a.exact }) {
		return
	}
	for _, a := range list {
		w.items[name] = append(w.items[name], a.text)
	}
}

// looped returns the loop variable that some words use, "" for none.
func (w *invocations) looped(words []*syntax.Word) (name string) {
	if len(w.items) == 0 {
		return ""
	}
	for _, word := range words {
		syntax.Walk(word, func(n syntax.Node) bool {
			if p, is := n.(*syntax.ParamExp); is && p.Param != nil && w.items[p.Param.Value] != nil {
				name = p.Param.Value
			}
			return true
		})
	}
	return name
}

// rounds records a command once for each round of its loop.
func (w *invocations) rounds(name string, words []*syntax.Word, i Invocation) {
	if w.variables == nil {
		w.variables = map[string]string{}
	}
	items := w.items[name]
	delete(w.items, name) // words with two such variables are read for each of both
	for _, item := range items {
		w.variables[name] = item
		if inner := w.looped(words); inner != "" {
			w.rounds(inner, words, i)
			continue
		}
		w.invoke(w.words(words), i)
	}
	delete(w.variables, name)
	w.items[name] = items
}

// substituted writes the output of a command substitution, if the line determines it.
func (w *invocations) substituted(out io.Writer, c *syntax.CmdSubst) error {
	for _, s := range c.Stmts {
		if len(c.Stmts) == 1 && piped(s) {
			text := w.written(s)
			if text == "" || (pipes{w}).unknown(s) {
				return errUnknown
			}
			if _, err := io.WriteString(out, text); err != nil {
				return fmt.Errorf("expand a command substitution: %w", err)
			}
			return nil
		}
		call, is := s.Cmd.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 || len(s.Redirs) > 0 {
			return errUnknown
		}
		args := w.words(call.Args)
		if slices.ContainsFunc(args, func(a argument) bool { return !a.exact }) {
			return errUnknown
		}
		text := ""
		switch name := args[0].text; {
		case name == "echo" || name == "printf":
			text = printed(name, args[1:]).text
		case name == "pwd" && len(args) == 1:
			text = "."
		case name == "mktemp":
			text = TemporaryFolder
		case name == "dirname" && len(args) == 2:
			text = path.Dir(args[1].text)
		default:
			return errUnknown
		}
		if _, err := io.WriteString(out, text); err != nil {
			return fmt.Errorf("expand a command substitution: %w", err)
		}
	}
	return nil
}

// piped reports whether a statement passes text through programs: echo x | rev, rev <<< x.
func piped(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return len(s.Redirs) == 0
	case *syntax.CallExpr:
		return len(s.Redirs) == 1 && s.Redirs[0].Op == syntax.WordHdoc && len(c.Args) > 0 && c.Args[0].Lit() != "cat"
	}
	return false
}

// unknown reports whether only the shell knows a word of a pipeline.
func (w pipes) unknown(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return c.Op != syntax.Pipe || w.unknown(c.X) || w.unknown(c.Y)
	case *syntax.CallExpr:
		return slices.ContainsFunc(w.words(c.Args), func(a argument) bool { return !a.exact })
	}
	return true
}

var errUnknown = errors.New("commands are not executed")

// repaired returns a text that does not parse, completed by what is missing: a quote or
// bracket at its end, a command before its first operator. A shell would reject it, but
// an agent's tool may complete it.
func repaired(text string, partly *syntax.File) (file *syntax.File, source string) {
	trimmed := strings.TrimLeft(text, "&|; \n")
	for _, ending := range []string{"", "'", `"`, ")", "`", "\ndone", "\nfi", "\n}"} {
		if whole, err := parse(trimmed + ending); err == nil {
			return whole, trimmed + ending
		}
	}
	return partly, text
}
