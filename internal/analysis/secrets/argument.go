package secrets

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// PassedCredential is the rule of literals that calls expect as their credentials.
const PassedCredential = "passed-credential"

// CallRule names calls that expect a credential, and where.
type CallRule struct {
	Calls    []string        `yaml:"calls"`                 // with the opening bracket: "createHmac(", "SigningKey{"
	On       *pattern.Regexp `yaml:"on" pattern:"optional"` // what the call is made on, nil for anything
	Argument int             `yaml:"argument"`              // counted from 0, -1 for none
	Least    int             `yaml:"least"`                 // number of arguments that the call has at least
	Name     string          `yaml:"name"`                  // or the argument or field of this name
}

// Bounds of the search for a call's credential.
const (
	maximumArguments = 2 << 10  // bytes of an argument list
	maximumReceiver  = 64       // bytes before a call
	maximumLookBack  = 32 << 10 // bytes before a call in which its argument's assignment is sought
	maximumCalls     = 256      // calls of one text that are read
	maximumTries     = 64       // places of a variable's name that are looked at
)

// calls reads literals that calls expect as their credentials, and variables that hold one.
type calls struct {
	*scan
	read int // calls that were read
}

// call reads the arguments of a call that expects a credential: a literal, or a variable that the
// text assigns a literal to.
func (sc *calls) call(pos, length int, rules []int) {
	if sc.read >= maximumCalls || pos > 0 && text.IsWord(sc.text[pos-1]) || sc.files().machine {
		return
	}
	sc.read++
	arguments := splitArguments(sc.text, pos+length)
	before := sc.text[max(0, pos-maximumReceiver):pos]
	for _, i := range rules {
		rule := &sc.callRules[i]
		if len(arguments) < rule.Least || rule.On != nil && !rule.On.MatchString(before) {
			continue
		}
		a, ok := rule.pick(sc.text, arguments)
		if !ok {
			continue
		}
		l, name, ok := sc.constantIn(a, 0)
		if name == "" {
			name = strings.TrimRight(sc.text[pos:pos+length], "({")
		}
		if f, secret := sc.judgeArgument(name, l); ok && secret {
			sc.found = append(sc.found, f)
			return
		}
	}
}

// between is a stretch of the text.
type between struct{ start, end int }

var namedArgument = pattern.Must(`^([A-Za-z_]\w*)\s*(?:=>?|:)\s*`)

// pick is the argument that a rule speaks of, without its name.
func (r *CallRule) pick(text string, arguments []between) (between, bool) {
	for _, a := range arguments {
		if at := namedArgument.FindStringSubmatchIndex(text[a.start:a.end]); at != nil && r.Name != "" && text[a.start+at[2]:a.start+at[3]] == r.Name {
			return between{a.start + at[1], a.end}, true
		}
	}
	if r.Argument < 0 || r.Argument >= len(arguments) {
		return between{}, false
	}
	return arguments[r.Argument], true
}

// splitArguments cuts an argument list that begins at text[at]; nil where it does not end.
func splitArguments(text string, at int) (list []between) {
	start, depth := at, 0
	end := min(len(text), at+maximumArguments)
	for i := at; i < end; i++ {
		switch c := text[i]; c {
		case '"', '\'', '`':
			slashes := 0
			for i-slashes > at && text[i-slashes-1] == '\\' {
				slashes++
			}
			closed := closing(text, i+1, c, slashes)
			if closed < 0 {
				return nil
			}
			i = closed + slashes
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return append(list, trimmed(text, start, i))
			}
		case ',':
			if depth == 0 {
				list = append(list, trimmed(text, start, i))
				start = i + 1
			}
		}
	}
	return nil
}

// trimmed leaves out blanks, line ends and the marks that a patch has at the beginning of a line.
func trimmed(text string, start, end int) between {
	for start < end && (isSpace(text[start]) || (text[start] == '+' || text[start] == '-') && start > 0 && text[start-1] == '\n') {
		start++
	}
	for end > start && isSpace(text[end-1]) {
		end--
	}
	return between{start, end}
}

// maximumWrapping bounds how often a literal may be wrapped: []byte(decode("…")).
const maximumWrapping = 3

var (
	variableForm = pattern.Must(`^(?:(?:this|self)\.|@|\$)?([A-Za-z_]\w*)`)
	wrapperForm  = pattern.Must(`^(?:new +)?(?:[\w.\[\]:]|\(\))*?([A-Za-z]\w*)\([^)]`)
	fallbackForm = pattern.Must(`(?:\|\||\?\?|\bor\b)\s*`)
)

// constantIn is the literal that an argument is, or that its variable holds; name is the variable's.
func (sc *calls) constantIn(a between, depth int) (l literal, name string, ok bool) {
	text := sc.text[a.start:a.end]
	if l, ok := sc.quotedAt(a.start); ok {
		rest := strings.TrimLeft(sc.text[min(l.end, a.end):a.end], "\\\"'`")
		return l, "", l.end < a.end && (rest == "" || rest[0] == '.')
	}
	if at := fallbackForm.FindStringIndex(text); at != nil {
		return sc.constantIn(between{a.start + at[1], a.end}, depth+1)
	}
	if at := wrapperForm.FindStringSubmatchIndex(text); at != nil {
		if depth >= maximumWrapping || !sc.wrappers[strings.ToLower(text[at[2]:at[3]])] {
			return literal{}, "", false
		}
		inner := splitArguments(sc.text, a.start+at[1]-1)
		if len(inner) == 0 {
			return literal{}, "", false
		}
		return sc.constantIn(inner[0], depth+1)
	}
	at := variableForm.FindStringSubmatchIndex(text)
	if at == nil || depth >= maximumWrapping {
		return literal{}, "", false
	}
	if rest := text[at[1]:]; rest != "" && !sc.converted(rest) {
		return literal{}, "", false
	}
	name = text[at[2]:at[3]]
	l, ok = sc.lastAssigned(name, a.start, depth+1)
	return l, name, ok
}

// converted reports whether what follows a variable only turns it into bytes: .getBytes().
func (sc *calls) converted(rest string) bool {
	name, _, ok := strings.Cut(strings.TrimPrefix(rest, "."), "(")
	return ok && rest[0] == '.' && sc.wrappers[strings.ToLower(name)]
}

var assignmentForm = pattern.Must(`^(?:\s*:?\s*[\w\[\]<>. *]{0,32})?\s*:?=\s*`)

// lastAssigned is the literal that was last assigned to a variable before a place.
func (sc *calls) lastAssigned(name string, before, depth int) (literal, bool) {
	from := max(0, before-maximumLookBack)
	for end, tries := before, 0; tries < maximumTries; tries++ {
		at := strings.LastIndex(sc.text[from:end], name)
		if at < 0 {
			return literal{}, false
		}
		at += from
		end = at
		if at > 0 && text.IsWord(sc.text[at-1]) || at+len(name) < len(sc.text) && text.IsWord(sc.text[at+len(name)]) {
			continue
		}
		after := sc.text[at+len(name):]
		operator := assignmentForm.FindStringIndex(after[:min(len(after), 64)])
		if operator == nil || strings.HasPrefix(after[operator[1]-1:], "==") {
			continue
		}
		value := at + len(name) + operator[1]
		stop := value + statementLength(sc.text[value:])
		l, _, ok := sc.constantIn(between{value, stop}, depth)
		return l, ok
	}
	return literal{}, false
}

// statementLength is how far the statement goes that begins a text: to its line end, semicolon or
// the comma that is outside of literals and brackets.
func statementLength(text string) int {
	depth := 0
	for i := 0; i < len(text) && i < maximumArguments; i++ {
		switch c := text[i]; c {
		case '"', '\'', '`':
			closed := closing(text, i+1, c, 0)
			if closed < 0 {
				return i
			}
			i = closed
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case '\n', '\r', ';', ',':
			if depth == 0 {
				return len(strings.TrimRight(text[:i], " \t"))
			}
		}
	}
	return min(len(text), maximumArguments)
}

// judgeArgument decides whether a literal that a call expects as its credential is one. What is
// there says so, so words count as well; the name of a method, an encoding or an algorithm does not.
func (sc *calls) judgeArgument(name string, l literal) (Finding, bool) {
	folded := strings.ToLower(l.value)
	f := Finding{Start: l.start, End: l.end, Value: l.value, Variable: name, Entropy: entropy(l.value), TestFile: sc.testFile()}
	if len(l.value) < minimumArgument || len(l.value) > 4096 || sc.neverGiven[folded] || sc.values.reference(l.value) ||
		!alphanumeric(l.value, minimumArgument) || strings.Contains(l.value, "-----BEGIN") {
		return f, false
	}
	switch {
	case sc.values.placeholder(l.value) || sc.exampleIn(l.value) || sc.names.mock(name) || sc.values.plain[folded] || sc.values.passwords[folded] || echoes(name, l.value):
		f = sc.as(f, PassedCredential, TierNamedLiteral, sc.config.Confidence.Placeholder)
		f.Placeholder = true
	case f.Entropy > sc.config.Entropy && len(l.value) > sc.config.EntropyLength && generated(l.value):
		f = sc.as(f, PassedCredential, TierNamedEntropy, sc.config.Confidence.NamedEntropy)
	default:
		f = sc.as(f, PassedCredential, TierNamedLiteral, sc.config.Confidence.NamedLiteral)
	}
	return f, true
}

// minimumArgument is the least number of letters and digits of a credential argument.
const minimumArgument = 3
