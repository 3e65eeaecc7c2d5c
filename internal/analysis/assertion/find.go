package assertion

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// declared finds the tests that the piece declares.
func (p *piece) declared() {
	for _, m := range p.Reader.tests[p.language].FindAllStringSubmatchIndex(p.code, -1) {
		head := m[0] + len(p.code[m[0]:m[1]]) - len(strings.TrimLeft(p.code[m[0]:m[1]], " \t\n"))
		if p.masked[head] != p.code[head] {
			continue // in a comment or string
		}
		for g := 2; g+1 < len(m); g += 2 {
			if m[g] >= 0 && m[g+1] > m[g] {
				p.tests = append(p.tests, Test{Name: strings.TrimSpace(p.code[m[g]:m[g+1]]), Line: strings.Count(p.code[:head], "\n"), indent: head - code.LineStart(p.code, head)})
				break
			}
		}
	}
}

// stated finds assertion statements: assert a == b (assert_eq as a macro is a call).
func (p *piece) stated() {
	form := p.Reader.statements[p.language]
	if form == nil {
		return
	}
	for _, m := range form.FindAllStringSubmatchIndex(p.masked, -1) {
		end := p.statementEnd(m[1])
		parts := arguments(p.masked, code.Between(m[1], end))
		if len(parts) == 0 {
			continue
		}
		p.taken = append(p.taken, code.Between(m[0], end))
		for _, a := range p.predicate(parts[0], false, 0) {
			p.add(m[0], end, a)
		}
	}
}

// statementEnd returns the end of a statement that begins before at: the end of its line,
// or of the line that closes its brackets.
func (p *source) statementEnd(at int) int {
	for end := code.LineEnd(p.masked, at); ; end = code.LineEnd(p.masked, end+1) {
		text := strings.TrimRight(p.masked[at:end], " \t\r")
		if end >= len(p.masked) || len(text) > 4000 || code.Balance(text) <= 0 && !strings.HasSuffix(text, "\\") {
			return end
		}
	}
}

// called finds calls of assertions, and chains: expect(x).toBe(y).
func (p *piece) called() {
	names := p.Reader.calls[p.language]
	for i := 0; i < len(p.masked); i++ {
		if !code.IsName(p.masked[i]) || i > 0 && code.IsName(p.masked[i-1]) {
			continue
		}
		end := i
		for end < len(p.masked) && isWord(p.masked[end]) {
			end++
		}
		word := strings.ToLower(p.masked[i:end])
		if end < len(p.masked) && p.masked[end] == '=' {
			word = strings.TrimRight(word, "!")
		}
		switch {
		case p.inside(i):
		case p.roots[word] && p.chain(i, end):
		case p.infix(i, end, word):
		default:
			if f, known := names[word]; known {
				p.call(i, end, f)
			}
		}
		i = end - 1
	}
}

// inside reports whether an offset belongs to an assertion that was already parsed.
func (p *piece) inside(at int) bool {
	for k := len(p.taken) - 1; k >= 0; k-- {
		if p.taken[k].From <= at && at < p.taken[k].To {
			return true
		}
	}
	return false
}

// call parses one call whose name ends at end, with parentheses or in Ruby's style.
func (p *piece) call(at, end int, f form) {
	open := end
	for open < len(p.masked) && (p.masked[open] == ' ' || p.masked[open] == '<') {
		if p.masked[open] == '<' { // assertThrows<T>(…)
			if k := strings.IndexByte(p.masked[open:code.LineEnd(p.masked, open)], '>'); k > 0 && strings.HasPrefix(strings.TrimLeft(p.masked[open+k+1:], " "), "(") || k > 0 && p.language == "kotlin" {
				open += k + 1
				continue
			}
			return
		}
		open++
	}
	var args []span
	var stop int
	switch {
	case open < len(p.masked) && p.masked[open] == '(':
		stop = code.Closing(p.masked, open)
		args = arguments(p.masked, code.Between(open+1, stop))
	case open > end && p.bareCalls[p.language]:
		stop = p.statementEnd(end)
		args = arguments(p.masked, code.Between(end, stop))
		if p.language == "shell" {
			args = p.operands(end, stop)
		}
	case p.language == "kotlin" && open < len(p.masked) && p.masked[open] == '{':
		stop = code.Closing(p.masked, open)
	default:
		return
	}
	from := before(p.masked, at)
	if declares(p.masked, from) {
		return
	}
	receiver := strings.TrimRight(p.text(code.Between(from, at)), ".:->")
	if p.language == "go" && len(args) > 0 { // require.Equal(t, …)
		if first := p.text(args[0]); first == "t" || first == "b" || strings.HasSuffix(first, ".T()") || first == "tb" {
			args = args[1:]
		} else if !p.checks(receiver) {
			return
		}
	}
	a := p.formed(f, args, receiver)
	if generic := p.code[end:min(open, len(p.code))]; a.Kind == Throws && strings.HasPrefix(generic, "<") {
		a.Expected = strings.Trim(generic, "<> ")
	}
	p.taken = append(p.taken, code.Between(at, min(stop+1, len(p.masked))))
	p.add(from, stop, a)
}

// checks reports whether a receiver in Go is an object of an assertion framework.
func (p *piece) checks(receiver string) bool {
	return p.helpers[strings.ToLower(receiver)] || strings.HasSuffix(receiver, ".Require()") || strings.HasSuffix(receiver, ".Assert()")
}

// operands returns the arguments of a shell command, without flags.
func (p *source) operands(from, to int) []span {
	var out []span
	for i := from; i < to; {
		if text.IsBlank(p.masked[i]) {
			i++
			continue
		}
		start, quoted := i, byte(0)
		for ; i < to && (quoted != 0 || !text.IsBlank(p.masked[i])); i++ {
			switch c := p.masked[i]; {
			case quoted == 0 && (c == '"' || c == '\''):
				quoted = c
			case c == quoted:
				quoted = 0
			}
		}
		if p.masked[start] != '-' {
			out = append(out, code.Between(start, i))
		}
	}
	return out
}

// declares reports whether a name is declared rather than called: def assertEqual(…).
func declares(masked string, at int) bool {
	line := strings.TrimSpace(masked[code.LineStart(masked, at):at])
	for _, word := range []string{"def", "func", "function", "fn", "fun", "void", "import", "class"} {
		if line == word || strings.HasSuffix(line, " "+word) {
			return true
		}
	}
	return false
}

// conditional finds checks written by hand in Go tests: if got != want { t.Errorf(…) }.
func (p *piece) conditional() {
	if p.language != "go" {
		return
	}
	for _, m := range p.Reader.conditions.FindAllStringSubmatchIndex(p.masked, -1) {
		open := m[1] - 1
		body := p.masked[open:code.Closing(p.masked, open)]
		if len(body) > 600 {
			body = body[:600]
		}
		if !p.Reader.failures.MatchString(body) {
			continue
		}
		condition := code.Between(m[2], m[3])
		if k := strings.LastIndexByte(p.masked[m[2]:m[3]], ';'); k >= 0 {
			if a, is := p.difference(code.Between(m[2], m[2]+k)); is {
				p.add(m[0], open, a)
				continue
			}
			condition.From += k + 1
		}
		for _, a := range p.predicate(condition, true, 0) {
			p.add(m[0], open, a)
		}
	}
}

// difference parses "diff := cmp.Diff(want, got)".
func (p *source) difference(s span) (Assertion, bool) {
	_, call, is := strings.Cut(p.masked[s.From:s.To], ":=")
	if !is || !strings.Contains(call, ".Diff(") {
		return Assertion{}, false
	}
	open := strings.IndexByte(call, '(') + s.To - len(call)
	args := arguments(p.masked, code.Between(open+1, code.Closing(p.masked, open)))
	if len(args) < 2 {
		return Assertion{}, false
	}
	return equality(p.text(args[1]), p.text(args[0])), true
}

// add stores an assertion. A check of a constant counts only if there is no other.
func (p *piece) add(from, to int, a Assertion) {
	if a.Subject == "" && p.language != "shell" && a.Kind != NoThrow && a.Kind != Throws && a.Kind != Snapshot && a.Kind != Trivial && a.Kind != Called || len(p.found) >= maxAssertions {
		return
	}
	a.Line = strings.Count(p.code[:from], "\n")
	end := min(to+1, len(p.code))
	a.Text = text.Head(text.Line(p.code[from:end]), 200)
	p.found = append(p.found, placed{from, a})
}
