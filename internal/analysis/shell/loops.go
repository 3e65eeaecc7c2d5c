package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Loop is one loop of a command line or script.
type Loop struct {
	Source   string // its first line
	Endless  bool   // neither its condition nor its body ever ends it
	Rounds   int    // of a counted loop, 0 if unknown
	Waits    bool   // it sleeps or waits in each round
	Parallel bool   // its rounds run concurrently
	Calls    []string
}

// Loops returns the loops of a command line or script, including those in scripts given
// to sh -c.
func (p *Parser) Loops(command string) (list []Loop) {
	defer func() { _ = recover() }() // hostile input may make the library panic
	w := &run{p: p}
	w.loops(command, 0, &list)
	return list
}

func (r *run) loops(text string, depth int, list *[]Loop) {
	if len(text) > r.p.table.MaxInput || depth > maxDepth {
		return
	}
	file, _ := parse(text)
	if file == nil {
		return
	}
	outer := r.source
	defer func() { r.source = outer }()
	r.source = text
	syntax.Walk(file, func(n syntax.Node) bool {
		if len(*list) >= r.p.table.MaxItems {
			return false
		}
		switch n := n.(type) {
		case *syntax.WhileClause:
			*list = append(*list, r.read(n, n.Do, Loop{Endless: r.forever(n)}))
		case *syntax.ForClause:
			*list = append(*list, r.read(n, n.Do, Loop{Rounds: r.rounds(n), Endless: unbounded(n)}))
		case *syntax.CallExpr:
			words := r.words(n.Args)
			for i, a := range words {
				if i > 0 && strings.HasPrefix(a.text, "-") && strings.HasSuffix(a.text, "c") && i+1 < len(words) && r.p.shells[words[i-1].text] {
					r.loops(words[i+1].text, depth+1, list)
				}
			}
		}
		return true
	})
}

// forever reports whether the condition of a loop never changes.
func (r *run) forever(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 {
		return false
	}
	switch cond := strings.TrimRight(r.sourceOf(c.Cond[0]), "; \n"); cond {
	case "true", ":", "[ 1 ]", "[[ 1 ]]", "((1))", "(( 1 ))", "[ true ]":
		return !c.Until
	case "false":
		return c.Until
	}
	return false
}

// unbounded reports whether a counted loop has no condition.
func unbounded(c *syntax.ForClause) bool {
	counted, is := c.Loop.(*syntax.CStyleLoop)
	return is && counted.Cond == nil
}

// rounds returns how often a counted loop runs.
func (r *run) rounds(c *syntax.ForClause) int {
	text := ""
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		for _, w := range l.Items {
			text += r.sourceOf(w) + " "
		}
		if !strings.Contains(text, "..") && !strings.Contains(text, "seq ") {
			return len(l.Items)
		}
	case *syntax.CStyleLoop:
		text = r.sourceOf(l)
	}
	most := 0
	for _, number := range strings.FieldsFunc(text, func(c rune) bool { return c < '0' || c > '9' }) {
		if n, err := strconv.Atoi(number); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// read records what a loop does in each round.
func (r *run) read(n syntax.Node, body []*syntax.Stmt, l Loop) Loop {
	l.Source, _, _ = strings.Cut(r.sourceOf(n), "\n")
	background, gathers := false, false
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Stmt:
				background = background || n.Background
			case *syntax.CallExpr:
				name, _ := r.p.unwrap(r.words(n.Args))
				switch name {
				case "break", "exit", "return":
					l.Endless = false
				case "sleep", "read", "inotifywait":
					l.Waits = true
				case "wait":
					gathers = true
				}
				if name != "" {
					l.Calls = append(l.Calls, name)
				}
			}
			return true
		})
	}
	l.Parallel = background && !gathers
	return l
}
