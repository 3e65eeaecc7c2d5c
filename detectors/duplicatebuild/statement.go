package duplicatebuild

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// statement is a line of code for comparing fragments; white space and comments are
// ignored.
type statement struct {
	key   uint32
	text  string
	line  int // in the new file, 0 if unknown
	at    int // offset into the DIFF's text, -1 for a context line
	added bool
	// names is the number of distinct identifiers and literals of a condition; long is a
	// literal that is a sentence. Both distinguish a fragment from what many places
	// contain.
	names int
	long  bool
	head  bool // declares a function, so that what follows belongs to another one
	// comment is a comment of several words, which indicates a paste if code follows it.
	comment bool
}

var (
	// trailing matches a comment at the end of a line.
	trailing = pattern.Must(`\s+(?://|#)\s.*$`)
	// branches matches the beginning of a condition.
	branches = pattern.Must(`^(?:\}\s*)?(?:else\s+)?(?:if|elif|elsif|unless|while|when|switch|case|match)\b`)
	// declares matches the beginning of a function or class.
	declares = pattern.Must(`^(?:(?:export|default|async|public|private|protected|static|final|override|pub|inline)\s+)*(?:func|def|function|fn|class)\b`)
)

// endsInArrow reports whether a line ends in "=> {", with any white space between them
// and after.
func endsInArrow(text string) bool {
	const space = "\t\n\f\r "
	before, opens := strings.CutSuffix(strings.TrimRight(text, space), "{")
	return opens && strings.HasSuffix(strings.TrimRight(before, space), "=>")
}

// longLiteral is the length from which a string with a blank counts as a sentence that
// two places do not share by coincidence.
const longLiteral = 24

// commentWords is the number of words from which a comment is not shared by coincidence.
const commentWords = 6

// readStatement parses a line; it returns false for insignificant ones: comments,
// brackets, imports, plain returns, entries of a table.
func (d *instance) readStatement(line string) (statement, bool) {
	text := strings.TrimSpace(line)
	if text == "" || strings.TrimLeft(line, " \t") == line {
		return statement{}, false
	}
	if isComment(text) {
		words := strings.Fields(strings.Trim(text, "/#*- "))
		s := statement{text: strings.Join(words, " "), comment: true, long: true}
		s.key = uint32(xxhash.Sum64String(s.text))
		return s, len(words) >= commentWords
	}
	text = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(text, "}")), "else ") // else if counts the same as if
	if strings.Contains(text, "//") || strings.Contains(text, "#") {
		text = trailing.ReplaceAllString(text, "")
	}
	if d.Fragments.Trivial.MatchString(text) {
		return statement{}, false
	}
	s := statement{text: strings.Join(strings.Fields(text), " "), head: declares.MatchString(text) || endsInArrow(text)}
	s.key = uint32(xxhash.Sum64String(s.text))
	names := d.namesIn(text)
	if len(names) < 2 {
		return statement{}, false
	}
	for _, name := range names {
		if len(name) >= longLiteral && (name[0] == '"' || name[0] == '\'') && strings.Contains(name, " ") {
			s.key, s.long = uint32(xxhash.Sum64String(name)), true
		}
	}
	if branches.MatchString(text) {
		s.names = len(names)
	}
	return s, true
}

// namesIn returns the distinct identifiers and literals of a line, without keywords and
// common names.
func (d *instance) namesIn(text string) []string {
	var out []string
	for name := range tokens(text) {
		if !d.Fragments.Habitual[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func isComment(text string) bool {
	return slices.ContainsFunc([]string{"//", "#", "*", "/*", "--", "<!--", `"""`}, func(mark string) bool { return strings.HasPrefix(text, mark) })
}
