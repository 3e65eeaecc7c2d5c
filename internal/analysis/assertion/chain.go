package assertion

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// link is one step of a chain: a name and its arguments.
type link struct {
	name string
	args []span
}

// maxLinks bounds a chain.
const maxLinks = 24

// chain parses expect(x).not.toBe(y), assertThat(x).isEqualTo(y), x.Should().Be(y),
// Ruby's expect(x).to eq(y); it returns false if the word does not begin a chain.
func (p *piece) chain(at, end int) bool {
	links, stop := p.links(end)
	from, subject := at, ""
	var first []span
	switch {
	case end < len(p.masked) && p.masked[end] == '(' && !p.follows(at):
		close := code.Closing(p.masked, end)
		first = arguments(p.masked, code.Between(end+1, close))
		if len(first) == 0 {
			return false
		}
		links, stop = p.links(min(close+1, len(p.masked)))
		subject = p.text(first[0])
		if p.masked[at:end] == "expect" && p.language == "kotlin" {
			return false
		}
	case end < len(p.masked) && p.masked[end] == '{' || strings.HasPrefix(p.masked[end:], " {") || strings.HasPrefix(p.masked[end:], " do"):
		open := strings.IndexByte(p.masked[end:], '{') + end // Ruby: expect { … }.to raise_error
		if open < end {
			return false
		}
		close := code.Closing(p.masked, open)
		links, stop = p.links(min(close+1, len(p.masked)))
		subject = p.text(code.Between(open+1, close))
	case p.follows(at):
		from = before(p.masked, at-1)
		subject = p.text(code.Between(from, at-1))
		if p.masked[end:min(end+1, len(p.masked))] == "(" {
			links, stop = p.links(min(code.Closing(p.masked, end)+1, len(p.masked)))
		}
	default:
		return false
	}
	a, known := p.matched(subject, links, first)
	if !known {
		return false
	}
	p.taken = append(p.taken, code.Between(at, stop))
	p.add(from, stop-1, a)
	return true
}

// follows reports whether a word follows a dot.
func (p *source) follows(at int) bool { return at > 0 && p.masked[at-1] == '.' }

// links returns the steps of a chain from at on.
func (p *source) links(at int) ([]link, int) {
	var out []link
	for len(out) < maxLinks {
		i := at
		for i < len(p.masked) && text.IsBlank(p.masked[i]) {
			i++
		}
		dotted := i < len(p.masked) && (p.masked[i] == '.' || strings.HasPrefix(p.masked[i:], "?.") || strings.HasPrefix(p.masked[i:], "->"))
		spaced := p.language == "ruby" && i > at && !strings.Contains(p.masked[at:i], "\n") && i < len(p.masked) && code.IsName(p.masked[i]) && len(out) > 0
		if !dotted && !spaced {
			break
		}
		for i < len(p.masked) && !code.IsName(p.masked[i]) {
			i++
		}
		end := i
		for end < len(p.masked) && isWord(p.masked[end]) {
			end++
		}
		l := link{name: strings.ToLower(p.masked[i:end])}
		at = end
		if at < len(p.masked) && p.masked[at] == '(' {
			stop := code.Closing(p.masked, at)
			l.args = arguments(p.masked, code.Between(at+1, stop))
			at = min(stop+1, len(p.masked))
		} else if k := code.LineEnd(p.masked, at); p.language == "ruby" && at < k && p.masked[at] == ' ' && p.Reader.matchers[l.name].Kind != "" {
			l.args = arguments(p.masked, code.Between(at, k))
			at = k
		}
		out = append(out, l)
	}
	return out, at
}

// matched returns what a chain asserts about its subject.
func (p *source) matched(subject string, links []link, first []span) (Assertion, bool) {
	negated, found := false, -1
	for i, l := range links {
		switch {
		case p.negations[l.name]:
			negated = !negated
		case p.Reader.matchers[l.name].Kind != "":
			found = i
		}
	}
	if found < 0 {
		return p.hamcrest(subject, first)
	}
	l := links[found]
	f := p.Reader.matchers[l.name]
	f.Receiver = true
	a := p.formed(f, l.args, subject)
	if found+1 < len(links) && a.Kind == Close && len(links[found+1].args) > 0 { // be_within(0.1).of(3)
		a.Expected = p.text(links[found+1].args[0])
	}
	for _, other := range links[found+1:] {
		if other.name == "withmessage" || other.name == "hasmessage" || other.name == "hasmessagecontaining" {
			a.Expected += " with a message"
		}
	}
	if a.Kind == True || a.Kind == False {
		if inner := p.predicateText(subject, a.Kind == False, first); inner != nil {
			a = *inner
		}
	}
	return negatedIf(a, negated), true
}

// predicateText parses the subject of expect(a === b).toBe(true) as a condition.
func (p *source) predicateText(_ string, negated bool, first []span) *Assertion {
	if len(first) != 1 {
		return nil
	}
	if inner := p.predicate(first[0], negated, maxDepth/2); len(inner) == 1 {
		return &inner[0]
	}
	return nil
}

// hamcrest parses assertThat(x, is(equalTo(y))).
func (p *source) hamcrest(subject string, args []span) (Assertion, bool) {
	if len(args) < 2 {
		return Assertion{}, false
	}
	matcher, negated := args[len(args)-1], false
	if len(args) > 2 {
		subject = p.text(args[len(args)-2])
	}
	for range maxDepth {
		f, inner, is := p.callOf(matcher, p.Reader.matchers)
		name, _, _ := strings.Cut(p.text(matcher), "(")
		if name = strings.ToLower(lastName(name)); p.negations[name] || p.words[name] {
			negated = negated != p.negations[name]
			open := strings.IndexByte(p.masked[matcher.From:matcher.To], '(')
			if open < 0 || matcher.To-1 <= matcher.From+open {
				return Assertion{}, false
			}
			next := code.Trim(p.masked, code.Between(matcher.From+open+1, matcher.To-1))
			if _, _, call := p.callOf(next, p.Reader.matchers); !call && !p.wraps(next) {
				return negatedIf(equality(subject, p.text(next)), negated), true
			}
			matcher = next
			continue
		}
		if bare := p.Reader.matchers[name]; !is && p.language == "dart" && bare.Kind != "" { // expect(x, isNotNull)
			f, is = bare, true
		}
		if !is {
			return Assertion{}, false
		}
		f.Receiver = true
		return negatedIf(p.formed(f, inner, subject), negated), true
	}
	return Assertion{}, false
}

// wraps reports whether an expression is a call of a word that only wraps another
// matcher.
func (p *source) wraps(s span) bool {
	name, _, call := strings.Cut(p.text(s), "(")
	name = strings.ToLower(lastName(name))
	return call && (p.words[name] || p.negations[name])
}

// infix parses x shouldBe y, and Scala's x should not be (y).
func (p *piece) infix(at, end int, word string) bool {
	speaks := (p.language == "kotlin" || p.language == "scala") && strings.HasPrefix(word, "should")
	if !speaks || end >= len(p.masked) || p.masked[end] != ' ' {
		return false
	}
	stop := code.LineEnd(p.masked, end)
	f, known := p.Reader.matchers[word]
	negated := false
	if !known && p.language == "scala" {
		f, negated, end, known = p.spoken(end, stop)
	}
	if !known {
		return false
	}
	from := before(p.masked, len(strings.TrimRight(p.masked[:at], " ")))
	expected := p.bare(code.Trim(p.masked, code.Between(end, stop)))
	if n := code.Operator(p.masked, expected.From, expected, comparisons); n > 0 && f.Kind == Equal { // should be > 0
		f = form{Kind: Order, Operator: p.masked[expected.From : expected.From+n], Subject: -1, Tolerance: -1}
		expected = code.Trim(p.masked, code.Between(expected.From+n, expected.To))
	}
	f.Receiver = true
	p.taken = append(p.taken, code.Between(at, stop))
	p.add(from, stop-1, negatedIf(p.formed(f, []span{expected}, p.text(code.Trim(p.masked, code.Between(from, at)))), negated))
	return true
}

// spoken parses the words of a matcher from at on: "not be", "contain", "equal".
func (p *source) spoken(at, stop int) (f form, negated bool, end int, known bool) {
	for end = at; ; {
		for end < stop && p.masked[end] == ' ' {
			end++
		}
		from := end
		for end < stop && code.IsName(p.masked[end]) {
			end++
		}
		word := strings.ToLower(p.masked[from:end])
		if f, known = p.Reader.matchers[word]; known || !p.words[word] && !p.negations[word] {
			return f, negated, end, known
		}
		negated = negated != p.negations[word]
	}
}

// maxDepth bounds the nesting of expressions that are parsed.
const maxDepth = 12

type span = code.Span

// isWord reports whether a byte may be part of a name, Ruby's and Rust's marks included.
func isWord(c byte) bool { return code.IsName(c) || c == '!' || c == '?' }

// arguments returns the range of each argument in a list; Julia has semicolons between them:
// isapprox(x, y; atol=1e-6).
func arguments(masked string, list span) []span { return code.Split(masked, list, ",;") }

// before returns where the expression that ends at at begins: names, dots and complete
// brackets.
func before(masked string, at int) int {
	i := at
	for i > 0 {
		switch c := masked[i-1]; {
		case code.IsName(c) || c == '.' || c == '"' || c == '\'' || c == ':' || c == '@' || c == '>' && i > 1 && masked[i-2] == '-' || c == '-' && i < len(masked) && masked[i] == '>' || c == '?':
			i--
		case c == ')' || c == ']':
			open := code.Opening(masked, i-1)
			if open < 0 {
				return i
			}
			i = open
		case c == '\n' && strings.HasPrefix(strings.TrimLeft(masked[i:at], " \t"), "."):
			i--
		case (c == ' ' || c == '\t') && strings.HasPrefix(strings.TrimLeft(masked[i:at], " \t"), ".") && strings.TrimSpace(masked[code.LineStart(masked, i):i]) == "":
			i--
		default:
			return i
		}
	}
	return i
}

// splitAt splits a range at an operator outside brackets, which is a word between blanks
// or consists of signs.
func splitAt(masked string, s span, operators []string) []span {
	var out []span
	start := s.From
	for i, depth := range code.Depths(masked, s) {
		if depth != 0 || i < start {
			continue
		}
		if n := code.Operator(masked, i, s, operators); n > 0 {
			out = append(out, code.Trim(masked, code.Between(start, i)))
			start = i + n
		}
	}
	return append(out, code.Trim(masked, code.Between(start, s.To)))
}

// text returns a range of the code on one line, with normalized blanks outside strings
// and normalized quotes.
func (p *source) text(s span) string {
	var b strings.Builder
	source, masked := p.code[s.From:s.To], p.masked[s.From:s.To]
	for i := range len(source) {
		c := source[i]
		inString := masked[i] == ' ' && c != ' ' && c != '\n' && c != '\t' || masked[i] == ' ' && c == ' ' && insideString(masked, i)
		switch {
		case inString:
			b.WriteByte(c)
		case text.IsBlank(c):
			if t := b.String(); t != "" && i+1 < len(source) && code.IsName(t[len(t)-1]) {
				if next := strings.TrimLeft(masked[i:], " \t\r\n"); next != "" && code.IsName(next[0]) {
					b.WriteByte(' ')
				}
			}
		case c == '\'' || c == '`':
			b.WriteByte('"')
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSuffix(b.String(), ",")
}

// insideString reports whether a blank is between two quotes of a masked line.
func insideString(masked string, at int) bool {
	quotes := 0
	for i := at - 1; i >= 0 && masked[i] != '\n'; i-- {
		if c := masked[i]; c == '"' || c == '\'' || c == '`' {
			quotes++
		}
	}
	return quotes%2 == 1
}
