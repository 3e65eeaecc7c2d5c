package duplicatebuild

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// distinctive reports whether a run of statements is sufficient to identify one thing in
// two places: it has enough statements, or fewer with a condition or a sentence that is
// not shared by coincidence.
func (d *instance) distinctive(run []statement) bool {
	added, condition, long, comments := 0, false, 0, 0
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
		condition = condition || run[i].names >= d.Fragments.ConditionNames
		if run[i].long {
			long++
		}
	}
	statements := len(run) - comments
	switch {
	case statements >= d.Fragments.Least && added >= d.Fragments.Least-1, condition && added >= 2:
		return true
	case comments > 0: // a pasted comment with the code below it
		return added >= leastWithComment
	}
	return long > 1 && statements > 2 || long == 1 && len(run) >= d.Fragments.Least-1
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

func fileAt(file string, line int) string {
	if line > 0 {
		return file + ":" + strconv.Itoa(line)
	}
	return file
}

// with returns a quotation of a complete statement, or "" (JD-40).
func with(text string) string {
	if shown := quote.WholeCode(text, 8, ""); shown != "" {
		return " with " + shown
	}
	return ""
}

// shorten cuts code for a message, without backticks.
func shorten(text string, limit int) string {
	runes := []rune(strings.ReplaceAll(text, "`", "'"))
	if len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return string(runes)
}
