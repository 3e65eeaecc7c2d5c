package duplicatebuild

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// distinctive reports whether a run is enough to be one thing in two places: statements enough, or
// fewer with a condition or a sentence that no two places have by chance.
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

// leastWithComment is how many added statements make a fragment with a comment of the same words.
const leastWithComment = 3

// mostTelling is the statement that says best what a run does: a condition of many names, a sentence,
// else the longest; n counts the run's statements without comments.
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

// tellingNames is how many names make a condition the one to quote.
const tellingNames = 4

func fileAt(file string, line int) string {
	if line > 0 {
		return file + ":" + strconv.Itoa(line)
	}
	return file
}

// with quotes a statement whole, or says nothing (JD-40).
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
