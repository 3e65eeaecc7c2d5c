package shell

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// sedAddress matches what may precede a sed command: lines, patterns, a range.
var sedAddress = pattern.Must(`^(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)(?:,(?:[+~]?\d+|\$|/(?:[^/\\\n]|\\.)*/))?\s*)?`)

// sedEdit returns what scripts of sed -i remove and add (SW-3): the two sides of s and
// the text of a, i and c. Patterns are converted to text by plain, so what is removed is
// only known for plain ones.
func sedEdit(scripts []string, plain func(string) string) (replaced, inserted string) {
	var before, after []string
	for _, script := range scripts {
		for _, line := range strings.Split(strings.ReplaceAll(script, "\\\n", " \n"), "\n") {
			b, a := sedCommand(line[len(sedAddress.FindString(line)):], plain)
			before, after = append(before, b...), append(after, a...)
		}
	}
	return strings.Join(before, "\n"), strings.Join(after, "\n")
}

// sedCommand parses one command and those after its semicolons.
func sedCommand(text string, plain func(string) string) (before, after []string) {
	for text = strings.TrimLeft(text, " \t"); text != ""; {
		switch text[0] {
		case 'a', 'i', 'c':
			if added := strings.TrimLeft(strings.TrimLeft(text[1:], " \t\\"), " \t"); added != "" {
				after = append(after, sedLines(added)...)
			}
			return before, after
		case 's':
			pattern, put, rest, ok := sedSides(text[1:])
			if !ok {
				return before, after
			}
			before, after = append(before, sedLines(plain(pattern))...), append(after, sedLines(put)...)
			_, text, _ = strings.Cut(rest, ";")
		default:
			_, text, _ = strings.Cut(text, ";")
		}
		text = strings.TrimLeft(text, " \t")
		text = text[len(sedAddress.FindString(text)):]
	}
	return before, after
}

// sedSides splits /pattern/replacement/flags at its own delimiter.
func sedSides(text string) (pattern, put, rest string, ok bool) {
	if text == "" || text[0] == '\\' {
		return "", "", "", false
	}
	delimiter := text[0]
	var ends []int
	for i := 1; i < len(text) && len(ends) < 2; i++ {
		switch text[i] {
		case '\\':
			i++
		case delimiter:
			ends = append(ends, i)
		}
	}
	if len(ends) < 2 {
		return "", "", "", false
	}
	unescape := strings.NewReplacer(`\`+string(delimiter), string(delimiter))
	return unescape.Replace(text[1:ends[0]]), unescape.Replace(text[ends[0]+1 : ends[1]]), text[ends[1]+1:], true
}

// sedPlain returns the text that a plain pattern matches.
func sedPlain(pattern string) string {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	return strings.NewReplacer(`\.`, ".", `\[`, "[", `\]`, "]", `\*`, "*", `\$`, "$").Replace(pattern)
}

func sedLines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, `\n`, "\n"), "\n")
}

// perlEdit parses `perl -pi -e SCRIPT FILE…` and the same for ruby: the scripts and the
// files that they change in place (SW-3).
func perlEdit(c *call) (scripts []string, files []argument, ok bool) {
	for i := 0; i < len(c.args); i++ {
		text := c.args[i].text
		if len(text) < 2 || text[0] != '-' {
			files = append(files, c.args[i:]...)
			break
		}
		letters, _, _ := strings.Cut(text[1:], ".")
		if letters == "" || strings.ContainsAny(letters[:1], "-IMm") {
			continue
		}
		ok = ok || strings.Contains(letters, "i")
		if strings.ContainsAny(letters, "eE") && i+1 < len(c.args) {
			i++
			scripts = append(scripts, c.args[i].text)
		}
	}
	return scripts, files, ok && len(scripts) > 0
}

// perlPlain returns the text that a plain Perl pattern matches, in which a backslash
// removes the meaning of the next character.
func perlPlain(pattern string) string {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) && strings.IndexByte(`.[]()*+?{}$^|/"'`, pattern[i+1]) >= 0 {
			i++
		}
		out.WriteByte(pattern[i])
	}
	return out.String()
}
