package destruct

import (
	"slices"
	"strings"
)

// posts records a call that sends a file of secrets, or every variable, to another machine.
func (p *program) posts(k int) {
	end, stop := k+1, false
	for depth := 0; end < len(p.tokens); end++ {
		switch t := p.tokens[end]; t.kind {
		case '(':
			depth++
		case ')':
			depth--
		case ';', '\n':
			stop = stop || depth == 0
		case 's', 'c':
			if local(t.text) {
				return
			}
		}
		if depth <= 0 && end > k+1 || stop {
			break
		}
	}
	if p.holds(k+1, end) {
		p.line.hijack("secret-sent", p.at)
	}
}

// holds reports whether one of some tokens is a file of secrets, what was read from one, or every variable.
func (p *program) holds(from, to int) bool {
	h := &p.line.config.Hijack
	l := leaks{line: p.line}
	for k := from; k < min(to, len(p.tokens)); k++ {
		t := p.tokens[k]
		name, method, _ := strings.Cut(t.text, ".")
		switch {
		case t.kind == 's':
			ends := func(e string) bool { return strings.HasSuffix(t.text, e) }
			if l.envFile(t.text) && !slices.ContainsFunc(h.Certificates, ends) || l.keyStore(t.text) {
				return true
			}
		case t.kind != 'n', p.is(k+1, '['), p.is(k+1, '='):
		case every(h, t.text), p.held[name] && (method == "" || slices.Contains(h.Texts, method)):
			return true
		}
	}
	return false
}

// every reports whether a name holds every variable of the environment.
func every(h *Hijack, name string) bool {
	return slices.ContainsFunc(h.Environments, func(e string) bool {
		rest, is := strings.CutPrefix(name, e)
		return is && (rest == "" || slices.Contains(h.Texts, strings.TrimPrefix(rest, ".")))
	})
}

// secretBefore reports whether the line of a token names a file of secrets before it.
func (p *program) secretBefore(k int) bool {
	from := k
	for from > 0 && p.tokens[from-1].kind != '\n' && p.tokens[from-1].kind != ';' {
		from--
	}
	return p.holds(from, k)
}
