package ralph

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Limits on what is kept of one iteration, in bytes (EV-3).
const (
	maxOutput = 64 << 10 // of its text; the middle of a longer one is left out
	maxNative = 8 << 20  // of a transcript in it
	maxLine   = 4 << 20  // of one line
)

// exitTimeout and exitInterrupt are the exit codes of timeout(1) and of Ctrl-C.
const (
	exitTimeout   = 124
	exitInterrupt = 130
)

// iteration is one turn of the loop.
type iteration struct {
	number  int
	begun   time.Time
	ended   time.Time
	text    clipped
	native  []byte // lines of JSON
	result  *result
	lines   int    // number of lines with words
	first   string // the first of them
	outcome string // "" while it is not known how it ended
	code    *int
	held    *read  // an end that the agent could have written
	promise string // the agent's statement that all is done
	closing *read  // the loop's last words, if it wrote little more
	after   int    // number of lines after them
	told    bool
}

// take adds a line that is neither an end nor a banner.
func (i *iteration) take(r read, raw string) {
	if trimmed := strings.TrimSpace(raw); strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		i.takeNative(trimmed)
		return
	}
	i.text.add(r.text)
	if r.kind == output {
		if i.lines++; i.lines == 1 {
			i.first = r.text
		}
		i.goesOn()
	}
}

// maxAfter is how many lines a loop may write after its last words.
const maxAfter = 5

// goesOn records that more was written, so that the candidate before was not an end.
func (i *iteration) goesOn() {
	i.held = nil
	if i.after++; i.after > maxAfter {
		i.closing = nil
	}
}

func (i *iteration) takeNative(line string) {
	if len(i.native)+len(line) < maxNative {
		i.native = append(append(i.native, line...), '\n')
	}
	if one := readResult(line); one != nil {
		i.result = one
	}
	i.lines++
	i.goesOn()
}

// end records how the iteration ended; the first record counts.
func (i *iteration) end(r read) {
	if i.outcome != "" {
		return
	}
	i.outcome, i.code = r.outcome, r.code
	if i.code != nil {
		switch *i.code {
		case 0:
			i.outcome = runevents.RunOutcomeSuccess
		case exitTimeout:
			i.outcome = runevents.RunOutcomeTimeout
		default:
			i.outcome = runevents.RunOutcomeFailure
		}
	}
	if !r.at.IsZero() {
		i.ended = r.at
	}
}

// commit matches what Git prints when it makes a commit: "[main 4d1e0aa] Add refunds".
var commit = pattern.Must(`(?m)^\s*\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7,40}\] \S`)

// commits returns how many commits the iteration shows, nil if it shows none: commits that an agent does
// not print may exist all the same.
func (i *iteration) commits() *int {
	n := len(commit.FindAllString(i.text.String(), -1))
	if n == 0 {
		return nil
	}
	return &n
}

// interrupted reports whether a person stopped the loop, which is not a failure of the agent.
func (i *iteration) interrupted() bool { return i.code != nil && *i.code == exitInterrupt }

// guess returns the outcome if the loop logs none: what a result line states, or that the agent never ran;
// otherwise success.
func (i *iteration) guess(p *Phrases) string {
	switch {
	case i.result != nil && bool(i.result.IsError):
		return runevents.RunOutcomeFailure
	case i.lines == 1 && i.first != "" && match(p.Stillborn, look(i.first)) != nil:
		return runevents.RunOutcomeFailure
	}
	return runevents.RunOutcomeSuccess
}

// duration returns how long it ran, 0 if unknown.
func (i *iteration) duration() int64 {
	if i.result != nil && i.result.DurationMS > 0 {
		return int64(i.result.DurationMS)
	}
	if i.begun.IsZero() || !i.ended.After(i.begun) {
		return 0
	}
	return i.ended.Sub(i.begun).Milliseconds()
}

// said returns what the iteration wrote.
func (i *iteration) said() string {
	if i.result != nil && i.result.Result != "" {
		var c clipped
		c.add(string(i.result.Result))
		return c.String()
	}
	return i.text.String()
}

// result is the last line that an agent writes as JSON.
type result struct {
	Type       loose.String `json:"type"`
	IsError    loose.Bool   `json:"is_error"`
	DurationMS loose.Int    `json:"duration_ms"`
	Result     loose.String `json:"result"`
	CostUSD    loose.Amount `json:"total_cost_usd"`
	Session    loose.String `json:"session_id"`
}

func readResult(line string) *result {
	var r result
	if json.Unmarshal([]byte(line), &r) != nil || r.Type != "result" {
		return nil
	}
	return &r
}

// clipped keeps only the beginning and the end of a text.
type clipped struct {
	head, tail strings.Builder
	left       int // number of bytes left out
}

func (c *clipped) add(line string) {
	line = text.Valid(line) + "\n"
	switch {
	case c.tail.Len()+c.left == 0 && c.head.Len()+len(line) <= maxOutput/2:
		c.head.WriteString(line)
	default:
		c.tail.WriteString(line)
		if c.tail.Len() > maxOutput {
			whole := c.tail.String()
			keep := text.Tail(whole, maxOutput/2)
			c.left += len(whole) - len(keep)
			c.tail.Reset()
			c.tail.WriteString(keep)
		}
	}
}

// String returns what was kept, with a mark where something is missing.
func (c *clipped) String() string {
	text := c.head.String()
	if c.left > 0 {
		text += fmt.Sprintf("‹%d bytes left out›\n", c.left)
	}
	return strings.Trim(text+c.tail.String(), "\n")
}
