package secrets

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// maximumName bounds a name in bytes.
const maximumName = 96

// assignments reads literals assigned to a credential-like name.
type assignments struct {
	calls
	nameEnd int // end of the last name that was read
}

// name reads the name around a trigger word and the literal assigned to it.
func (sc *assignments) name(pos, length int) {
	start, end := pos, pos+length
	for start > 0 && pos-start < maximumName && isNameByte(sc.text[start-1]) && !isEscapeLetter(sc.text, start-1) &&
		!(sc.text[start-1] == 'c' && strings.HasSuffix(sc.text[:start], `\`+escapedLess)) {
		start--
	}
	for end < len(sc.text) && end-pos < maximumName && isNameByte(sc.text[end]) {
		end++
	}
	sc.nameEnd = end
	l, ok := sc.assignedTo(start, end)
	if !ok {
		return
	}
	name := strings.Trim(sc.text[start:end], "-")
	force, kind := sc.names.judge(name)
	if force == nameNone || sc.files().machine {
		return
	}
	if f, ok := sc.judgeLiteral(name, force, kind, l); ok {
		sc.found = append(sc.found, f)
	}
}

func isNameByte(c byte) bool { return text.IsWord(c) || c == '-' }

// assignedTo reads what follows (or, in "literal" == name, precedes) a name.
func (sc *assignments) assignedTo(start, end int) (literal, bool) {
	at, quotedName := skipQuote(sc.text, end)
	if at < len(sc.text) && sc.text[at] == ']' {
		at++
	}
	at = skipBlanks(sc.text, at)
	if at >= len(sc.text) {
		return sc.yoda(start)
	}
	switch c := sc.text[at]; {
	case c == ':' && strings.HasPrefix(sc.text[at:], "::"):
		return literal{}, false
	case c == ':' && !strings.HasPrefix(sc.text[at:], ":="):
		return sc.afterColon(at+1, quotedName)
	case c == ',' && quotedName:
		return sc.argument(start, at+1)
	case c == '>' && start > 0 && sc.text[start-1] == '<':
		return sc.element(at + 1)
	case c == '\\' && strings.HasSuffix(sc.text[:start], `\`+escapedLess):
		rest := strings.TrimLeft(sc.text[at:], `\`)
		if value, is := strings.CutPrefix(rest, escapedMore); is {
			return sc.element(len(sc.text) - len(value))
		}
	case c == '(' && setter(sc.text[start:end]):
		return sc.quotedAt(skipBlanks(sc.text, at+1))
	case sc.text[start] == '-' && at > end && c != '=':
		return sc.valueAt(at)
	case (c == '\'' || c == '"') && at > end && !quotedName && sc.spoken[sc.wordBefore(start)]:
		return sc.quotedAt(at)
	}
	return sc.afterOperator(start, end, at, quotedName)
}

// afterOperator reads the value after = or a similar operator at text[at].
func (sc *assignments) afterOperator(start, end, at int, quotedName bool) (literal, bool) {
	if strings.IndexByte("=!:?+|oi", sc.text[at]) < 0 {
		return sc.yoda(start)
	}
	for _, operator := range operators {
		if !strings.HasPrefix(sc.text[at:], operator) {
			continue
		}
		after := skipBlanks(sc.text, at+len(operator))
		bare := (operator == "=" || operator == ":=" || operator == "is ") && !quotedName
		if l, ok := sc.quotedAt(after); ok || !bare {
			return l, ok
		}
		if l, ok := sc.wrappedAt(after); ok {
			return l, true
		}
		l, ok := sc.bareAt(after, after == at+1 && at == end)
		if start > 0 && (sc.text[start-1] == '?' || sc.text[start-1] == '&') {
			l = l.until('&')
		}
		return l, ok
	}
	return sc.yoda(start)
}

// wrappedAt reads a literal that a call only turns into bytes: []byte("…"), Buffer.from("…").
func (sc *assignments) wrappedAt(at int) (literal, bool) {
	const longest = 40 // bytes before the literal
	quote := strings.IndexAny(sc.text[at:min(len(sc.text), at+longest)], "\"'`\n")
	if quote <= 0 || sc.text[at+quote] == '\n' || strings.IndexByte(sc.text[at:at+quote], '(') < 0 {
		return literal{}, false
	}
	l, name, ok := sc.constantIn(between{at, at + statementLength(sc.text[at:])}, 0)
	return l, ok && name == "" && l.start > at
}

// wordBefore is the lower-case word before text[start:], "" for none: SQL says
// WITH PASSWORD '…'.
func (sc *assignments) wordBefore(start int) string {
	end := start
	for end > 0 && (sc.text[end-1] == ' ' || sc.text[end-1] == '\t') {
		end--
	}
	from := end
	for from > 0 && end-from < maximumName && text.IsWord(sc.text[from-1]) {
		from--
	}
	return strings.ToLower(sc.text[from:end])
}

// argument reads the literal after a quoted name and a comma, where the name is the first argument:
// setenv("API_KEY", "…"). Lists of words look alike, so the literal must have more than letters.
func (sc *assignments) argument(start, at int) (literal, bool) {
	before := strings.TrimRight(sc.text[max(0, start-16):start], "\\\"'` \t\n")
	if before == "" || before[len(before)-1] != '(' {
		return literal{}, false
	}
	value := skipBlanks(sc.text, at)
	if rest := sc.text[value:]; strings.HasPrefix(rest, "default") { // Python's getenv
		if equals := skipBlanks(rest, len("default")); equals < len(rest) && rest[equals] == '=' {
			value = skipBlanks(sc.text, value+equals+1)
		}
	}
	l, ok := sc.quotedAt(value)
	return l, ok && changes(l.value) > 0
}

// operators in the order they are tried: longer before their prefixes.
var operators = []string{"===", "!==", "==", "!=", "=>", ":=", "?=", "+=", "||=", "||", "??", "or ", "is ", "="}

// setter reports whether a call such as setPassword("…") stores its argument.
func setter(name string) bool {
	words := splitName(name)
	return len(words) > 1 && (words[0] == "set" || words[0] == "with")
}

// afterColon reads a mapping's value, or a declared type and the value after it.
func (sc *assignments) afterColon(at int, quotedName bool) (literal, bool) {
	value := skipBlanks(sc.text, at)
	if l, ok := sc.quotedAt(value); ok {
		return l, true
	}
	line := sc.text[value:min(len(sc.text), value+160)]
	if i := strings.IndexAny(line, "\n\r"); i >= 0 {
		line = line[:i]
	}
	if i := strings.IndexByte(line, '='); i > 0 && i < 48 && declaredType(line[:i]) && !strings.HasPrefix(line[i:], "==") {
		if typed, ok := sc.quotedAt(skipBlanks(sc.text, value+i+1)); ok || strings.TrimSpace(line[i+1:]) != "" {
			return typed, ok
		} // else the padding of base64
	}
	if quotedName {
		return literal{}, false
	}
	l, ok := sc.bareAt(value, false)
	return l, ok && (value > at || len(l.value) >= 2*minimumUnquoted && generated(l.value))
}

func declaredType(s string) bool {
	for i := 0; i < len(s); i++ {
		if !text.IsWord(s[i]) && !strings.ContainsRune(" []<>|.?*&", rune(s[i])) {
			return false
		}
	}
	return true
}

// The brackets of an element within JSON that was written for a page, after backslashes: one, or
// more where that JSON is in a string of JSON.
const (
	escapedLess = "u003c"
	escapedMore = "u003e"
)

// element reads the text of an XML element.
func (sc *assignments) element(at int) (literal, bool) {
	within := sc.text[at:min(len(sc.text), at+512)]
	end := strings.IndexByte(within, '<')
	if end < 0 {
		if end = strings.Index(within, `\`+escapedLess); end > 0 {
			end = len(strings.TrimRight(within[:end], `\`))
		}
	}
	if end <= 0 || strings.ContainsAny(sc.text[at:at+end], "\n{}") {
		return literal{}, false
	}
	return literal{start: at, end: at + end, value: sc.text[at : at+end], quoted: true}, true
}

// yoda reads "literal" == name.
func (sc *assignments) yoda(start int) (literal, bool) {
	if before := sc.text[max(0, start-4):start]; strings.IndexByte(before, '=') < 0 {
		return literal{}, false
	}
	before := strings.TrimRight(sc.text[max(0, start-256):start], " ")
	trimmed := strings.TrimRight(before, "=!")
	if len(before)-len(trimmed) < 2 {
		return literal{}, false
	}
	trimmed = strings.TrimRight(trimmed, " ")
	if trimmed == "" {
		return literal{}, false
	}
	quote := trimmed[len(trimmed)-1]
	if quote != '"' && quote != '\'' && quote != '`' {
		return literal{}, false
	}
	body := trimmed[:len(trimmed)-1]
	open := strings.LastIndexByte(body, quote)
	if open < 0 || strings.Contains(body[open:], "\n") {
		return literal{}, false
	}
	end := start - (len(sc.text[max(0, start-256):start]) - len(body))
	return literal{start: end - (len(body) - open - 1), end: end, value: body[open+1:], quoted: true}, true
}

// valueAt reads a quoted or a bare value.
func (sc *assignments) valueAt(at int) (literal, bool) {
	if l, ok := sc.quotedAt(at); ok {
		return l, true
	}
	return sc.bareAt(at, true)
}

// bareAt reads an unquoted value up to the end of its word. It is a literal
// without further proof only in a configuration file or as NAME=value.
func (sc *assignments) bareAt(at int, tight bool) (literal, bool) { return sc.bare(at, tight, false) }

// bare reads one that may follow an authentication scheme: such a token may have parts, joined by dots as in code.
func (sc *assignments) bare(at int, tight, schemed bool) (literal, bool) {
	end := at
	for end < len(sc.text) && end-at < 1024 && isBareByte(sc.text[end]) {
		end++
	}
	if end < len(sc.text) && sc.text[end] == ' ' && isScheme(sc.text[at:end]) {
		return sc.bare(skipBlanks(sc.text, end), tight, true)
	}
	value, whole := sc.text[at:end], end
	if !strings.HasSuffix(value, "...") { // which says that the value is cut
		value = strings.TrimRight(value, ".,:!?")
	}
	end = at + len(value)
	if value == "" || end < len(sc.text) && strings.IndexByte("([{=|", sc.text[end]) >= 0 {
		return literal{}, false
	}
	code := expression(value) && !proper(value) && !(schemed && strings.ContainsAny(value, "0123456789"))
	if !sc.files().config && (code || !lineEnds(sc.text[whole:]) && !tight) {
		return literal{}, false
	}
	return literal{start: at, end: end, value: value, config: sc.files().config || tight && sc.files().shell}, true
}

func isBareByte(c byte) bool {
	return text.IsWord(c) || strings.IndexByte("-+/=.!@#$%^*~:?&", c) >= 0
}

// expression reports whether an unquoted value is code: a.b, a::b, a->b.
func expression(value string) bool {
	for i := 1; i+1 < len(value); i++ {
		if (value[i] == '.' || value[i] == ':') && kindOf(value[i-1]) != 'p' && kindOf(value[i+1]) != 'p' && kindOf(value[i+1]) != 'd' {
			return true
		}
	}
	return strings.Contains(value, "->") || strings.HasSuffix(value, "!")
}

// proper reports whether a value begins with a capital and ends in a digit or sign, as no expression does.
func proper(value string) bool {
	last := value[len(value)-1]
	return kindOf(value[0]) == 'U' && (kindOf(last) == 'd' || strings.IndexByte(strongSigns, last) >= 0)
}

func lineEnds(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r.,;")
	return rest == "" || rest[0] == '\n' || rest[0] == '#' || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, `\n`) || strings.HasPrefix(rest, `\r`) ||
		rest[0] == '"' || rest[0] == '\'' || rest[0] == '`' || strings.HasPrefix(rest, `\"`)
}

func skipBlanks(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// skipQuote skips the closing quote of a quoted name, with its backslashes.
func skipQuote(text string, at int) (int, bool) {
	i := at
	for i < len(text) && text[i] == '\\' {
		i++
	}
	if i < len(text) && (text[i] == '"' || text[i] == '\'' || text[i] == '`') {
		return i + 1, true
	}
	return at, false
}
