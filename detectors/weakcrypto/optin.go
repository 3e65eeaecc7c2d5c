package weakcrypto

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// condition matches the first line of a branch.
var condition = pattern.Must(`^\s*(?:\}\s*)?(?:else\s+)?(?:if|elif|elsif|elseif|unless|when|case)\b`)

// maximumClimb bounds the lines above a weak one that are searched.
const maximumClimb = 200

// optedIn reports whether the line at an offset is in a branch whose condition names what
// is disabled: if opts.Insecure { … }. The user of the program then chooses it. Branches
// are found by their indentation, which works for all languages here.
func (d *instance) optedIn(text string, offset int) bool {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	depth := indentation(text[start:])
	lines := strings.Split(text[:start], "\n")
	for n := len(lines) - 1; n >= 0 && len(lines)-n <= maximumClimb && depth > 0; n-- {
		line := lines[n]
		if strings.TrimSpace(line) == "" || indentation(line) >= depth {
			continue
		}
		depth = indentation(line)
		if condition.MatchString(line) && d.OptIn.MatchString(line) {
			return true
		}
	}
	return false
}

// indentation returns the number of blanks and tabs at the beginning of a line.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
