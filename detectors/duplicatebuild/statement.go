package duplicatebuild

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// statement is a line of code for comparing fragments; white space and comments are
// ignored.
type statement struct {
	key   uint32
	text  string
	line  int // in the new file, 0 if unknown
	at    int // offset into the DIFF's text, -1 for a context line
	added bool
	// names is the number of distinct identifiers and literals of a condition, rule that of those that are
	// not about errors; long is a literal that is a sentence. They distinguish a fragment from what many
	// places contain.
	names, rule int
	long        bool
	// setting is a condition that asks for something by its name in a literal: an environment variable, a key.
	setting bool
	head    bool // declares a function, so that what follows belongs to another one
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

// leastSetting is the number of identifiers and literals from which a condition with the name of a setting is known
// by them.
const leastSetting = 3

// commentWords is the number of words from which a comment is not shared by coincidence.
const commentWords = 6

// readStatement parses a line; it returns false for insignificant ones: comments,
// brackets, imports, plain returns, entries of a table.
func (c *config) readStatement(line string) (statement, bool) {
	said := strings.TrimSpace(line)
	if said == "" || strings.TrimLeft(line, " \t") == line {
		return statement{}, false
	}
	if isComment(said) {
		words := strings.Fields(strings.Trim(said, "/#*- "))
		s := statement{text: strings.Join(words, " "), comment: true, long: true}
		s.key = uint32(xxhash.Sum64String(s.text))
		return s, len(words) >= commentWords
	}
	said = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(said, "}")), "else ") // else if counts the same as if
	if strings.Contains(said, "//") || strings.Contains(said, "#") {
		said = trailing.ReplaceAllString(said, "")
	}
	if c.Fragments.Trivial.MatchString(said) {
		return statement{}, false
	}
	s := statement{text: text.Line(said), head: declares.MatchString(said) || endsInArrow(said)}
	s.key = uint32(xxhash.Sum64String(s.text))
	names := c.namesIn(said)
	if len(names) < 2 {
		return statement{}, false
	}
	for _, name := range names {
		if len(name) >= longLiteral && (name[0] == '"' || name[0] == '\'') && strings.Contains(name, " ") {
			s.key, s.long = uint32(xxhash.Sum64String(name)), true
		}
	}
	if branches.MatchString(said) {
		s.names = len(names)
		names = slices.DeleteFunc(names, c.Fragments.Failures.MatchString)
		s.rule = len(names)
		if s.setting = s.rule >= leastSetting && slices.ContainsFunc(names, c.Fragments.Settings.MatchString); s.setting {
			s.key = uint32(xxhash.Sum64String(strings.Join(names, " "))) // whether it is set or not
		}
	}
	return s, true
}

// namesIn returns the distinct identifiers and literals of a line, without keywords and
// common names.
func (c *config) namesIn(text string) []string {
	var out []string
	for name := range code.Tokens(text) {
		if !c.Fragments.Habitual[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func isComment(text string) bool {
	return slices.ContainsFunc([]string{"//", "#", "*", "/*", "--", "<!--", `"""`}, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// hunks returns the statements of each hunk's new side.
func (c *config) hunks(s *sessionevents.Segment) [][]statement {
	var out [][]statement
	offset := 0
	for _, h := range s.Diff.Hunks {
		var list []statement
		number := h.NewStart
		for _, line := range h.Lines {
			if line == "" {
				line = " "
			}
			if line[0] == '-' {
				continue
			}
			if st, ok := c.readStatement(line[1:]); ok {
				if st.added, st.at = line[0] == '+', -1; st.added {
					st.at = offset
				}
				if h.NewStart > 0 {
					st.line = number
				}
				list = append(list, st)
			}
			if number++; line[0] == '+' {
				offset += len(line)
			}
		}
		out = append(out, list)
	}
	return out
}

// addedStatements returns the statements that an edit adds.
func (c *config) addedStatements(s *sessionevents.Segment) []statement {
	var out []statement
	for _, hunk := range c.hunks(s) {
		out = append(out, slices.DeleteFunc(hunk, func(st statement) bool { return !st.added || st.comment })...)
	}
	return out
}

// longestRun returns the longest run of the hunk's statements that occurs in the same
// order, without gaps, in the other place.
func (c *config) longestRun(list []statement, keys []uint32) []statement {
	best, end := 0, 0
	both := make([]int, 2*(len(keys)+1))
	before, now := both[:len(keys)+1], both[len(keys)+1:]
	for i := range list {
		for k, key := range keys {
			now[k+1] = 0
			if list[i].key == key && !list[i].head {
				if now[k+1] = before[k] + 1; now[k+1] > best {
					best, end = now[k+1], i+1
				}
			}
		}
		before, now = now, before
	}
	return list[end-best : end]
}

// weight is how much it says that two places share a run of statements.
type weight int

// Weights of a run: what many places contain; the same thing in two places, of which how an error is handled,
// a text or a comment is worth a line in the log only; and a rule that both places have to keep alike, or
// statements enough for a function.
const (
	common weight = iota
	faint         // it counts in a third place only
	slight
	telling
)

// weigh returns the weight of a run of statements.
func (c *config) weigh(run []statement) weight {
	added, condition, rule, setting, long, comments := 0, false, false, false, 0, 0
	for i := range run {
		if run[i].comment {
			comments++
		}
		if !run[i].added {
			continue
		}
		if !run[i].comment {
			added++
		}
		condition = condition || run[i].names >= c.Fragments.ConditionNames
		rule = rule || run[i].rule >= c.Fragments.ConditionNames
		setting = setting || run[i].setting
		if run[i].long {
			long++
		}
	}
	statements := len(run) - comments
	switch {
	case statements >= c.Fragments.Least && (added >= c.Fragments.Least-1 || long > 0), rule && added >= 2:
		return telling
	case condition && added >= 2, comments > 0 && added >= leastWithComment, // a pasted comment with the code below it
		long > 1 && statements > 2, long == 1 && len(run) >= c.Fragments.Least-1, setting && added == 1:
		return slight
	case comments > 0 && statements > 1 && added > 0, long > 1:
		return faint
	}
	return common
}

// leastWithComment is the minimum number of added statements of a fragment that has a
// comment with the same words.
const leastWithComment = 3

// mostTelling returns the statement that best describes what a run does: a condition with
// many names, a sentence, otherwise the longest; n is the number of the run's statements
// without comments.
func mostTelling(run []statement) (telling statement, n int) {
	for _, s := range run {
		if s.comment {
			continue
		}
		switch n++; {
		case n == 1, s.names >= tellingNames && s.names > telling.names,
			telling.names < tellingNames && (s.long && !telling.long || s.long == telling.long && len(s.text) > len(telling.text)):
			telling = s
		}
	}
	return telling, n
}

// tellingNames is the number of names from which a condition is quoted.
const tellingNames = 4

func keysOf(list []statement) []uint32 {
	keys := make([]uint32, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return keys
}
