package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// joined are pieces that only make a whole when the script runs, so that no
// scanner of the repository sees a secret: {{gh|p_|abc}} is "ghp_abc".
var joined = regexp.MustCompile(`\{\{[^{}\n]*\|[^{}\n]*\}\}`)

func join(pieces string) string {
	return strings.ReplaceAll(pieces[2:len(pieces)-2], "|", "")
}

// readStep reads the step that begins at a line and returns its last line.
func readStep(lines []string, at, number int) (step Step, last int, err error) {
	first := at
	for ; at < len(lines) && strings.TrimRight(lines[at], "\n") != Separator; at++ {
		step.Source += lines[at]
	}
	head, body, _ := strings.Cut(joined.ReplaceAllStringFunc(step.Source, join), "\n")
	word, rest, _ := strings.Cut(head, " ")
	if at >= len(lines) {
		return step, at, fmt.Errorf("line %d: %s without %q", first+1, word, Separator)
	}
	if word == "event" {
		err = step.readEvent(rest)
	} else {
		err = step.readTurn(rest, number)
	}
	if err != nil {
		return step, at, fmt.Errorf("line %d: %w", first+1, err)
	}
	if step.Turn != nil {
		blocks := &Blocks{}
		if err := blocks.statements(body, first+2); err != nil {
			return step, at, err
		}
		step.Turn.Blocks = blocks.List
	}
	for at++; at < len(lines) && strings.TrimSpace(lines[at]) != ""; at++ {
		step.Expected += lines[at]
	}
	return step, at, nil
}

// readEvent takes "TYPE [run=ID] [at=DURATION] {json}".
func (s *Step) readEvent(rest string) error {
	name, data, _ := strings.Cut(rest, " ")
	s.Run = DefaultRun
	for data != "" && data[0] != '{' {
		var word string
		word, data, _ = strings.Cut(data, " ")
		option, value, _ := strings.Cut(word, "=")
		switch option {
		case "run":
			s.Run = value
		case "at":
			at, err := time.ParseDuration(value)
			if err != nil {
				return fmt.Errorf("event: at=%s: want a duration such as 61m", value)
			}
			s.At = at
		default:
			return fmt.Errorf("event: unknown word %q", word)
		}
	}
	s.Type = events.Type(name)
	if _, ok := events.Lookup(s.Type); !ok {
		return fmt.Errorf("event %s: unknown type", name)
	}
	var err error
	if s.Data, err = events.DecodeData(s.Type, []byte(data)); err != nil {
		return fmt.Errorf("event %s: %w", name, err)
	}
	return nil
}

// readTurn takes the words behind "turn".
func (s *Step) readTurn(rest string, number int) error {
	s.Turn = &sessionevents.Turn{Session: DefaultSession, TurnID: "turn-" + strconv.Itoa(number), Format: "blocks"}
	words := strings.Fields(rest)
	for i := 0; i < len(words); i++ {
		name, value, _ := strings.Cut(words[i], "=")
		switch {
		case words[i] == "compacted":
			s.Turn.Compacted = true
		case words[i] == "late":
			s.Late = true
		case words[i] == "fork" && i+1 < len(words):
			i++
			s.Turn.ForkOf = words[i]
		case name == "session":
			s.Turn.Session = value
		case name == "parent":
			s.Turn.Agent.ParentSession = value
		case name == "run":
			s.Turn.Run = value
		case name == "id":
			s.Turn.TurnID = value
		case name == "stop":
			s.Turn.StopReason = value
		case name == "at":
			at, err := time.ParseDuration(value)
			if err != nil {
				return fmt.Errorf("turn: at=%s: want a duration such as 61m", value)
			}
			s.At = at
		default:
			return fmt.Errorf("turn: unknown word %q", words[i])
		}
	}
	return nil
}
