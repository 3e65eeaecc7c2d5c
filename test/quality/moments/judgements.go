package moments

import (
	_ "embed"
	"fmt"
	"strings"
)

// Judgement is the finding of a person who read an interrupt.
type Judgement string

// Judgements of a reader.
const (
	Right   Judgement = "right"  // and worth hearing
	Slight  Judgement = "slight" // right, and not worth an interrupt
	Wrong   Judgement = "wrong"
	Unclear Judgement = "unclear"
)

// Judgements are a reader's judgements by the key of an interrupt.
type Judgements map[string]Judgement

//go:embed judged.tsv
var judgedFile string

// Judged returns the judgements recorded in the repository: keys alone, no text of
// the sessions.
func Judged() (Judgements, error) {
	out := Judgements{}
	for number, line := range strings.Split(judgedFile, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, rest, _ := strings.Cut(line, "\t")
		verdict, _, _ := strings.Cut(rest, "\t")
		switch j := Judgement(verdict); j {
		case Right, Slight, Wrong, Unclear:
			out[key] = j
		default:
			return nil, fmt.Errorf("judged.tsv:%d: %q is not right, slight, wrong or unclear", number+1, verdict)
		}
	}
	return out, nil
}
