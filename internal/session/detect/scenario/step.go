package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// joined matches pieces that are joined when the script runs, to hide them from secret
// scanners: {{gh|p_|abc}} is "ghp_abc".
var joined = pattern.Must(`\{\{[^{}\n]*\|[^{}\n]*\}\}`)

func join(pieces string) string {
	return strings.ReplaceAll(pieces[2:len(pieces)-2], "|", "")
}

// readStep reads the step that begins at a line and returns its last line.
func (s *Script) readStep(lines []string, at int) (step Step, last int, err error) {
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
		err = step.readEvent(rest, body, s.names)
	} else {
		err = step.readTurn(rest, len(s.Steps)+1)
	}
	if err != nil {
		return step, at, fmt.Errorf("line %d: %w", first+1, err)
	}
	if step.Turn != nil {
		blocks := &Blocks{}
		if err := blocks.statements(unfold(body), first+2); err != nil {
			return step, at, err
		}
		if step.Turn.Blocks = blocks.List; step.parallel {
			slices.SortStableFunc(step.Turn.Blocks, func(a, b sessionevents.Block) int { return resultsLast(a) - resultsLast(b) })
		}
	}
	for at++; at < len(lines) && strings.TrimSpace(lines[at]) != ""; at++ {
		step.Expected += lines[at]
	}
	return step, at, nil
}

// unfold joins the lines of a turn's statements that end in a backslash with the next
// line, without its indentation.
func unfold(text string) string { return continued.ReplaceAllString(text, "") }

var continued = pattern.Must(`\\\n *`)

// readEvent reads "TYPE [run=ID] [at=DURATION]" and the payload: YAML on the same
// line in braces, or indented on the lines after it. A run event without an actor
// comes from an orchestrator.
func (s *Step) readEvent(rest, body string, names map[string]any) error {
	name, inline, _ := strings.Cut(rest, " ")
	s.Run, s.Type = DefaultRun, events.Type(name)
	descriptor, known := events.Lookup(s.Type)
	if !known {
		return fmt.Errorf("event %s: unknown type", name)
	}
	inline, err := s.readOptions(inline)
	if err != nil {
		return err
	}
	fields, err := decodeFields(inline+"\n"+body, names)
	if err != nil {
		return fmt.Errorf("event %s: %w", name, err)
	}
	if _, has := fields["actor"]; descriptor.RunEvent && !has {
		if fields == nil {
			fields = map[string]any{}
		}
		fields["actor"] = map[string]any{"kind": string(runevents.ActorOrchestrator)}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("event %s: %w", name, err)
	}
	if s.Data, err = events.DecodeData(s.Type, data); err != nil {
		return fmt.Errorf("event %s: %w", name, err)
	}
	return nil
}

// readOptions reads the words before an inline payload and returns the payload.
func (s *Step) readOptions(data string) (string, error) {
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
				return "", fmt.Errorf("event: at=%s: want a duration such as 61m", value)
			}
			s.At = at
		default:
			return "", fmt.Errorf("event: unknown word %q", word)
		}
	}
	return data, nil
}

// resultsLast orders the blocks of a turn whose calls were sent before any of their
// results.
func resultsLast(b sessionevents.Block) int {
	if b.Type == sessionevents.BlockToolResult {
		return 1
	}
	return 0
}

// readTurn reads the words after "turn".
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
		case words[i] == "parallel":
			s.parallel = true
		case words[i] == "fork" && i+1 < len(words):
			i++
			s.Turn.ForkOf = words[i]
		case name == "session":
			s.Turn.Session = value
		case name == "parent":
			s.Turn.Agent.ParentSession = value
		case name == "agent":
			s.Turn.Agent.Kind = value
		case name == "role":
			s.Turn.Agent.Archetype = value
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
