package destruct

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// command is one invocation, with its arguments split according to a rule.
type command struct {
	*shell.Invocation
	line     *line
	operands []string // after the rule's words
	before   []string // operands before a --, after the words
	dashes   bool     // there was a --
	flags    []string // as written; clusters (-rf) also as single letters
	values   map[string]string
}

// split splits the arguments of an invocation according to a rule.
func (r *Reader) split(l *line, i *shell.Invocation, rule *Rule) *command {
	c := &command{Invocation: i, line: l, values: map[string]string{}}
	globals, depth := r.config.Globals[i.Name], 0
	for k := 0; k < len(i.Args); k++ {
		a := clean(i.Args[k])
		if a == "--" {
			c.dashes, c.before = true, slices.Clone(c.operands)
			c.operands = append(c.operands, cleaned(i.Args[k+1:])...)
			break
		}
		if !isFlag(a) && !slices.Contains(slices.Concat(rule.Need...), a) {
			c.operands = append(c.operands, a)
			depth++
			continue
		}
		k += c.flag(a, i.Args[k+1:], rule, globals, depth)
	}
	return c
}

// flag records a flag and returns how many of the following words are its value.
func (c *command) flag(a string, after []string, rule *Rule, globals []string, depth int) int {
	name, value, joined := strings.Cut(a, "=")
	if rule.Fold {
		name = strings.ToLower(name)
	}
	c.flags = append(c.flags, a, name)
	if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") {
		for k, letter := range strings.TrimPrefix(name, "-") {
			c.flags = append(c.flags, "-"+string(letter))
			if k > 0 && slices.Contains(rule.Values, "-"+string(letter)) && !slices.Contains(rule.Values, name) && !joined {
				if value := name[k+2:]; value != "" {
					c.values["-"+string(letter)] = value // the rest is its value
				} else if len(after) > 0 {
					c.values["-"+string(letter)] = clean(after[0])
					return 1
				}
				return 0
			}
			if k == 0 && len(name) > 2 && slices.Contains(rule.Values, "-"+string(letter)) && !slices.Contains(rule.Values, name) {
				c.values["-"+string(letter)] = name[2:]
				return 0
			}
		}
	}
	if joined {
		c.values[name] = value
		return 0
	}
	takes := slices.Contains(rule.Values, name) || depth < max(1, len(rule.Words)) && slices.Contains(globals, name) || rule.Targets == "flag" && len(rule.Need) > 0 && slices.Contains(rule.Need[0], name)
	if takes && len(after) > 0 {
		c.values[name] = clean(after[0])
		return 1
	}
	return 0
}

func isFlag(a string) bool { return len(a) > 1 && a[0] == '-' }

// clean returns a word without the quotes that remain in words only the shell can expand.
func clean(word string) string { return strings.ReplaceAll(word, `"`, "") }

func cleaned(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = clean(w)
	}
	return out
}

// has reports whether one of some flags is present.
func (c *command) has(flags ...string) bool {
	return slices.ContainsFunc(flags, func(f string) bool {
		return slices.ContainsFunc(c.flags, func(given string) bool { return given == f || abbreviates(given, f) })
	})
}

// abbreviates reports whether a long flag is the beginning of another one, which Git and
// the GNU programs accept.
func abbreviates(given, flag string) bool {
	return len(given) > 2 && len(flag) > len(given) && strings.HasPrefix(given, "--") && strings.HasPrefix(flag, given) && flag != "--help" && flag != "--dry-run"
}

// texts are forms of rules about text that a command is given, in which --help is a word like others.
var texts = []string{"code", "sql", "find"}

// is reports whether a rule applies to the command, and removes the rule's words from the
// operands.
func (c *command) is(rule *Rule) bool {
	if slices.Contains(c.flags, "--help") && !slices.Contains(texts, rule.Form) {
		return false // it only prints
	}
	if c.has(rule.Unless...) || slices.ContainsFunc(rule.Need, func(one []string) bool { return !c.has(one...) }) {
		return false
	}
	if len(c.operands) < len(rule.Words) {
		return false
	}
	for k, words := range rule.Words {
		if !among(c.operands[k], words, rule.Fold) {
			return false
		}
	}
	c.operands = c.operands[len(rule.Words):]
	if c.dashes {
		c.before = c.before[min(len(rule.Words), len(c.before)):]
	}
	return len(c.operands) == 0 || !slices.Contains(rule.UnlessWords, c.operands[0])
}

// among reports whether a word is one of some alternatives.
func among(word, words string, fold bool) bool {
	return slices.ContainsFunc(strings.Split(words, "|"), func(w string) bool { return w == word || fold && strings.EqualFold(w, word) })
}

// targets returns the targets of the command according to a rule.
func (c *command) targets(rule *Rule) []string {
	switch {
	case rule.Targets == "flag" && len(rule.Need) > 0:
		for _, f := range rule.Need[0] {
			if v := c.values[f]; v != "" {
				return []string{v}
			}
		}
	case rule.Targets == "flag_topic":
		return c.operands
	case len(c.operands) == 0:
	case rule.Targets == "first":
		return c.operands[:1]
	case rule.Targets == "last":
		return c.operands[len(c.operands)-1:]
	case rule.Targets == "operands":
		return c.operands
	}
	return nil
}

// text returns the arguments and the input of the command, for patterns.
func (c *command) text() string { return strings.Join(c.Args, " ") + "\n" + c.Input }

// short returns the command in a few words.
func (c *command) short() string {
	return text.Short(text.Line(c.Name+" "+strings.Join(c.Args, " ")), maxShort)
}

const maxShort = 81
