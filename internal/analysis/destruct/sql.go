package destruct

import (
	"slices"
	"strings"
)

// sql handles the statements for a database client, given as an argument or as input.
func sql(c *command, _ *Rule, a *Act) bool {
	for _, arg := range c.Args {
		word := clean(arg)
		if !strings.ContainsAny(word, " \t\n;") && word != "" && !isFlag(word) && c.line.testData(word) ||
			isFlag(word) && strings.Contains(word, "=") && !strings.Contains(word, " ") && c.line.testData(word[strings.IndexByte(word, '=')+1:]) {
			return false
		}
	}
	var found []destroyed
	for _, arg := range c.Args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "--") {
			arg = value
		} else if isFlag(arg) && len(arg) > 3 && !strings.HasPrefix(arg, "--") {
			arg = arg[2:] // mysql -e'…'
		}
		if strings.ContainsAny(arg, " \t\n") {
			found = append(found, statements(arg)...)
		}
	}
	found = append(found, statements(c.Input)...)
	for _, f := range found {
		a.Targets = append(a.Targets, f.name)
	}
	if len(found) > 0 {
		a.Loses = found[0].what
		a.Command = c.Name + ": " + found[0].text
	}
	return len(found) > 0
}

// destroyed is what one statement destroys.
type destroyed struct{ name, what, text string }

// statements returns the destructive statements of a script. What the script itself
// created, and what a rollback undoes, does not count.
func statements(text string) []destroyed {
	var out []destroyed
	var made []string
	begun := -1
	for _, words := range tokens(text) {
		switch words[0] {
		case "BEGIN", "START":
			begun = len(out)
		case "ROLLBACK":
			if begun >= 0 && !slices.Contains(words, "TO") {
				out, begun = out[:begun], -1
			}
		case "COMMIT", "END":
			begun = -1
		case "CREATE":
			made = append(made, created(words))
		}
		if d, is := destroys(words); is && !slices.Contains(made, d.name) {
			d.text = strings.Join(words[:min(len(words), 4)], " ")
			out = append(out, d)
		}
	}
	return out
}

// created returns the name that a CREATE defines.
func created(words []string) string {
	for k, w := range words {
		if slices.Contains([]string{"TABLE", "DATABASE", "SCHEMA"}, w) {
			return name(words[k+1:])
		}
	}
	return ""
}

// destroys analyzes one statement.
func destroys(words []string) (destroyed, bool) {
	switch words[0] {
	case "DROP":
		if len(words) > 2 && slices.Contains([]string{"TABLE", "DATABASE", "SCHEMA", "KEYSPACE", "TABLESPACE", "COLLECTION"}, words[1]) {
			return destroyed{name: name(words[2:]), what: "the " + strings.ToLower(words[1])}, true
		}
	case "TRUNCATE":
		rest := words[1:]
		if len(rest) > 0 && rest[0] == "TABLE" {
			rest = rest[1:]
		}
		return destroyed{name: name(rest), what: "every row"}, len(rest) > 0
	case "DELETE":
		if len(words) > 2 && words[1] == "FROM" && !limits(words) {
			return destroyed{name: name(words[2:]), what: "every row"}, true
		}
	case "UPDATE":
		if slices.Contains(words, "SET") && !limits(words) && !slices.Contains(words, "FROM") {
			return destroyed{name: name(words[1:]), what: "the former value of every row"}, true
		}
	case "ALTER":
		k := slices.Index(words, "DROP")
		if k > 2 && words[1] == "TABLE" && k+1 < len(words) && words[k+1] == "COLUMN" {
			return destroyed{name: name(words[2:]), what: "a column"}, true
		}
	}
	return destroyed{}, false
}

// limits reports whether a statement affects only some of the rows.
func limits(words []string) bool {
	k := slices.Index(words, "WHERE")
	if k < 0 {
		return slices.Contains(words, "LIMIT") || slices.Contains(words, "USING")
	}
	rest := words[k+1:]
	always := len(rest) == 1 && (rest[0] == "1" || rest[0] == "TRUE") || len(rest) == 3 && rest[0] == rest[2] && rest[1] == "="
	return !always
}

// name returns the first word that is a name, which IF EXISTS and ONLY are not.
func name(words []string) string {
	for _, w := range words {
		if !slices.Contains([]string{"IF", "NOT", "EXISTS", "ONLY", "LOW_PRIORITY", "IGNORE", "QUICK"}, w) {
			return strings.ToLower(w)
		}
	}
	return ""
}

// tokens returns the words of each statement in upper case; comments are left out, and
// the text of a string is one word.
func tokens(text string) [][]string {
	var out [][]string
	var words []string
	end := func() {
		if len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "--"):
			i += lengthUntil(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			i += lengthUntil(rest, "*/")
		case rest[0] == ';':
			end()
			i++
		case strings.IndexByte("'\"`", rest[0]) >= 0:
			n := lengthUntil(rest[1:], rest[:1]) + 1
			if inner := strings.Trim(rest[:n], rest[:1]); rest[0] == '\'' {
				words = append(words, "'"+inner+"'")
			} else {
				words = append(words, strings.ToUpper(inner))
			}
			i += n
		case wordByte(rest[0]):
			n := 1
			for n < len(rest) && wordByte(rest[n]) {
				n++
			}
			words = append(words, strings.ToUpper(rest[:n]))
			i += n
		default:
			if rest[0] == '=' {
				words = append(words, "=")
			}
			i++
		}
	}
	end()
	return out
}

func wordByte(b byte) bool {
	return b == '_' || b == '.' || b == '$' || b == '\\' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// lengthUntil returns the length of a text up to the end of a mark.
func lengthUntil(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}
