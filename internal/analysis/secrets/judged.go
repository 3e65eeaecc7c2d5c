package secrets

import (
	"encoding/base64"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// Look is what a value must look like where only its place makes it a secret.
type Look string

// Looks that rules ask for.
const (
	LookChosen    Look = "chosen"    // as people make passwords up
	LookGenerated Look = "generated" // as programs make tokens
	LookCookie    Look = "cookie"    // a cookie's name, = and a generated value
	LookPhrase    Look = "phrase"    // several words
	LookBasic     Look = "basic"     // base64 of user:password
)

// judgeLook narrows a finding of a rule to its value and decides whether that is a secret. It
// reports false for what has another look and for values that are read from elsewhere.
func (sc *providers) judgeLook(f *Finding, look Look) bool {
	if look == LookCookie {
		if name := strings.IndexByte(f.Value, '='); name > 0 {
			f.Variable = f.Value[:name]
			f.narrow(name+1, len(f.Value))
		}
		look = LookGenerated
	}
	f.narrow(0, len(strings.TrimRight(f.Value, " .,:;?*_\"'`\\")))
	if len(f.Value) < 5 || !sc.looks(f.Value, look) {
		return false
	}
	rule := f.Rule
	if !sc.judgeCredential(f, rule, "", f.Value) {
		return false
	}
	return !f.Placeholder || look == LookChosen || look == LookGenerated && len(f.Value) >= longGenerated
}

func (f *Finding) narrow(from, to int) {
	f.Start, f.End, f.Value = f.Start+from, f.Start+to, f.Value[from:to]
	f.Entropy = entropy(f.Value)
}

func (sc *providers) looks(value string, look Look) bool {
	switch look {
	case LookChosen:
		return sc.values.chosen(value)
	case LookGenerated:
		return len(value) >= minimumGenerated && generated(value) && !wordy(value) && !constant(value) && entropy(value) >= leastEntropy && !uuidForm.MatchString(value)
	case LookPhrase:
		return sc.values.phrase(value)
	default:
		plain, err := base64.StdEncoding.DecodeString(value)
		user, password, ok := strings.Cut(string(plain), ":")
		return err == nil && ok && len(user) > 0 && len(password) >= 5 && printable(user+password)
	}
}

// Bounds of values that only their place makes a token.
const (
	minimumGenerated = 16
	longGenerated    = 24 // from here on a short word in it is a coincidence
	leastEntropy     = 3.0
)

var (
	uuidForm = pattern.Must(`^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	// unchosenForm matches what has letters and digits like a password and is none: versions, dates, sizes,
	// files, paths, addresses, code, escapes.
	unchosenForm = pattern.Must(`^(?:v?\d+(?:[.:/-]\d+)+\w*|[<>=~^]*\d[\d.,]*[A-Za-z%]+|[\w./~-]*[/\\][\w./~*-]*|[\w-]+(?:\.[a-z][\w-]*)*\.[a-z]{1,5}\d?|[\w.-]+\(.*|--?[\w-]+(?:=.*)?|[\w.+-]+@[\w-]+\.[\w.-]+|.*://.*|#\d+|\$\w+.*|[%&]\w+.*|[A-Za-z]+['’]\w{1,2}|[\w.]+\[.*|[A-Za-z]+:[0-9]+|u00[0-9a-f]{2}.*)$`)
)

// strongSigns are signs that words and identifiers do not have in them.
const strongSigns = "!#$%&*+@?^~"

// chosen reports whether a value looks like a password that a person chose: letters with digits or
// signs, neither an identifier nor a file, version or size.
func (v valueRules) chosen(value string) bool {
	upper, lower, digits, signs := 0, 0, 0, 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case kindOf(c) == 'U':
			upper++
		case kindOf(c) == 'l':
			lower++
		case kindOf(c) == 'd':
			digits++
		case strings.IndexByte(strongSigns, c) >= 0 && i > 0:
			signs++
		case c == '=' || c == '\\' || c == '/' && i == 0:
			return false
		}
	}
	letters := upper + lower
	if letters < 3 || digits+signs == 0 || v.notChosen[strings.ToLower(value)] || unchosenForm.MatchString(value) {
		return false
	}
	trailing := strings.HasSuffix(value, "!") && strings.Count(value, "!") == signs && digits == 0 // a word and the end of its sentence
	separated := strings.ContainsAny(value, "_-.")
	switch {
	case signs > 0 && !trailing && len(value) >= 6 && (digits > 0 || upper > 0 && lower > 0):
		return true
	case digits < 2 || len(value) < 8:
		return false
	case upper > 0 && lower > 0:
		return !separated || kindOf(value[len(value)-1]) == 'd' || changes(value) > 2
	case lower == 0:
		return generated(value) && !separated
	default:
		return !separated
	}
}

// phrase reports whether a value is a passphrase of words.
func (v valueRules) phrase(value string) bool {
	words := strings.Fields(strings.ToLower(value))
	for _, word := range words {
		if v.phraseWords[strings.Trim(word, ".,:;!?")] || strings.ContainsAny(word, "(){}[]<>=/\\$%:") {
			return false
		}
	}
	return len(words) >= 3 && len(words) <= 12
}

func printable(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
