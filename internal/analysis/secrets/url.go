package secrets

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// urls reads the passwords of connection strings.
type urls struct{ *scan }

// url reads scheme://user:password@host around the "://" at pos.
func (sc *urls) url(pos int) {
	scheme := pos
	for scheme > 0 && pos-scheme < 24 && (text.IsWord(sc.text[scheme-1]) || sc.text[scheme-1] == '+' || sc.text[scheme-1] == '-' || sc.text[scheme-1] == '.') {
		scheme--
	}
	user := pos + len("://")
	colon, at, slash := -1, -1, false
loop:
	for i := user; i < len(sc.text) && i < user+512; i++ {
		switch c := sc.text[i]; {
		case c == ':' && colon < 0:
			colon = i
		case c == '@':
			at = i
		case c == '/' && slash && at < 0:
		case c == '/' && colon >= 0 && at < 0 && !isPort(sc.text[colon+1:i]) && urlContinues(sc.text[i:]):
			slash = true
		case c == '/' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '\\' || c == ')' || c == ',' || isSpace(c):
			break loop
		}
	}
	if scheme == pos || colon < 0 || at <= colon+1 {
		return
	}
	value := sc.text[colon+1 : at]
	f := Finding{Start: colon + 1, End: at, Value: value, Variable: sc.nameBefore(scheme), Entropy: entropy(value), TestFile: sc.testFile()}
	if ok := sc.judgePassword(&f, sc.text[user:colon], strings.ToLower(sc.text[scheme:pos])); ok {
		sc.found = append(sc.found, f)
	}
}

// isPort reports whether what follows a colon is a port number.
func isPort(s string) bool {
	for i := 0; i < len(s); i++ {
		if kindOf(s[i]) != 'd' {
			return false
		}
	}
	return len(s) <= 5
}

// urlContinues reports whether an unescaped slash still belongs to a password,
// because an @ follows before anything that ends a URL.
func urlContinues(rest string) bool {
	end := strings.IndexAny(rest, " \t\r\n\"'`<>\\,)")
	if end < 0 {
		end = len(rest)
	}
	at := strings.IndexByte(rest[:min(end, 128)], '@')
	return at > 0 && !strings.ContainsAny(rest[:at], "?#")
}

func (sc *urls) judgePassword(f *Finding, user, scheme string) bool {
	rule := "connection-string"
	if scheme == "http" || scheme == "https" {
		rule = "basic-auth-url"
	}
	return sc.judgeCredential(f, rule, user, f.Value)
}

// judgeCredential sets the tier of a value in a place that only holds credentials: a URL, a header.
// It reports false for values that are read from elsewhere.
func (sc *scan) judgeCredential(f *Finding, rule, user, password string) bool {
	f.Validated = false
	if sc.values.reference(strings.TrimLeft(password, "/")) || strings.ContainsAny(password, "{}") || len(password) < 3 {
		return false
	}
	folded := strings.ToLower(password)
	switch {
	case sc.values.passwords[folded] || folded == strings.ToLower(user) || sc.values.placeholder(password) || sc.exampleIn(password):
		*f = sc.as(*f, rule, TierNamedLiteral, sc.config.Confidence.Placeholder)
		f.Placeholder = true
	case entropy(password) > sc.config.Entropy && len(password) > sc.config.EntropyLength:
		*f = sc.as(*f, rule, TierNamedEntropy, sc.config.Confidence.NamedEntropy)
	default:
		*f = sc.as(*f, rule, TierNamedLiteral, sc.config.Confidence.NamedLiteral)
	}
	return true
}

// nameBefore is the name a value that begins at pos is assigned to, "" if none.
func (sc *urls) nameBefore(pos int) string {
	line := sc.text[max(0, pos-128):pos]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	line = strings.TrimRight(line, " \t\"'`\\")
	line = strings.TrimRight(strings.TrimRight(line, "=:>,("), " \t\"'`\\]")
	end := len(line)
	start := end
	for start > 0 && (text.IsWord(line[start-1]) || line[start-1] == '-') {
		start--
	}
	return line[start:end]
}
