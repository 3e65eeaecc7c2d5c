package duplicatebuild

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// statement is a line of code as fragments are compared: white space and comments do not count.
type statement struct {
	key   uint32
	text  string
	line  int // in the new file, 0 where it is not known
	at    int // offset into the DIFF's text, -1 for a context line
	added bool
	// names are the distinct identifiers and literals of a condition, long a literal that is a sentence:
	// both tell a fragment from what many places hold.
	names int
	long  bool
	head  bool // declares a function, so that what follows is another one's
	// comment is one of several words, a sign of a paste where code follows it.
	comment bool
}

var (
	// trailing is a comment at the end of a line.
	trailing = pattern.Must(`\s+(?://|#)\s.*$`)
	// branches begins a condition.
	branches = pattern.Must(`^(?:\}\s*)?(?:else\s+)?(?:if|elif|elsif|unless|while|when|switch|case|match)\b`)
	// declares begins a function, and so does an arrow at the end.
	declares = pattern.Must(`^(?:(?:export|default|async|public|private|protected|static|final|override|pub|inline)\s+)*(?:func|def|function|fn|class)\b`)
)

// endsInArrow: "=> {", with white space of any kind between them and after.
func endsInArrow(text string) bool {
	const space = "\t\n\f\r "
	before, opens := strings.CutSuffix(strings.TrimRight(text, space), "{")
	return opens && strings.HasSuffix(strings.TrimRight(before, space), "=>")
}

// longLiteral is the length from which a string with a blank is a sentence that no two places hold by
// chance.
const longLiteral = 24

// commentWords is how many words a comment needs that no two places have by chance.
const commentWords = 6

// readStatement makes a statement of a line; false for what says nothing: comments, brackets, imports, plain
// returns, entries of a table.
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
	text = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(text, "}")), "else ") // a branch is one, first or not
	if strings.Contains(text, "//") || strings.Contains(text, "#") {
		text = trailing.ReplaceAllString(text, "")
	}
	if d.trivial.MatchString(text) {
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

// namesIn are the distinct identifiers and literals of a line, without keywords and habits.
func (d *instance) namesIn(text string) []string {
	var out []string
	for name := range tokens(text) {
		if !d.habitual[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func isComment(text string) bool {
	return slices.ContainsFunc([]string{"//", "#", "*", "/*", "--", "<!--", `"""`}, func(mark string) bool { return strings.HasPrefix(text, mark) })
}
