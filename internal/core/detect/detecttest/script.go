package detecttest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// separator stands between a turn and what is expected of it.
const separator = "----"

// script is one test file.
type script struct {
	header string // up to the first turn, kept when the file is rewritten
	opened *events.SessionOpened
	turns  []scriptTurn
}

type scriptTurn struct {
	source   string // the turn as written, up to the separator
	expected string
	turn     events.Turn
}

// parse reads a test file. Errors name the line.
func parse(text string) (*script, error) {
	s := &script{}
	p := &turnParser{}
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\n")
		if word, _, _ := strings.Cut(line, " "); word == "turn" {
			var next scriptTurn
			var err error
			if next, i, err = p.turn(lines, i, len(s.turns)+1); err != nil {
				return nil, err
			}
			s.turns = append(s.turns, next)
			continue
		}
		s.header += lines[i]
		if rest, ok := strings.CutPrefix(line, "opened "); ok {
			s.opened = &events.SessionOpened{}
			if err := json.Unmarshal([]byte(rest), s.opened); err != nil {
				return nil, fmt.Errorf("line %d: opened: %w", i+1, err)
			}
		} else if line != "" && !strings.HasPrefix(line, "#") {
			return nil, fmt.Errorf("line %d: want turn, opened or a # comment, got %q", i+1, line)
		}
	}
	if len(s.turns) == 0 {
		return nil, fmt.Errorf("no turn")
	}
	return s, nil
}

// joined are pieces that only make a whole when the script runs, so that no
// scanner of the repository sees a secret: {{gh|p_|abc}} is "ghp_abc".
var joined = regexp.MustCompile(`\{\{[^{}\n]*\|[^{}\n]*\}\}`)

func join(pieces string) string {
	return strings.ReplaceAll(pieces[2:len(pieces)-2], "|", "")
}

// turnParser reads the statements of one turn into blocks.
type turnParser struct {
	blocks []events.Block
	calls  int
}

func (p *turnParser) turn(lines []string, at, number int) (scriptTurn, int, error) {
	p.blocks = nil
	var t scriptTurn
	first := at
	for ; at < len(lines) && strings.TrimRight(lines[at], "\n") != separator; at++ {
		t.source += lines[at]
	}
	if at >= len(lines) {
		return t, at, fmt.Errorf("line %d: turn without %q", first+1, separator)
	}
	head, body, _ := strings.Cut(joined.ReplaceAllStringFunc(t.source, join), "\n")
	if err := p.statements(body, first+2); err != nil {
		return t, at, err
	}
	t.turn = events.Turn{
		Session: "session", TurnID: "turn-" + strconv.Itoa(number), Format: "blocks",
		Blocks: p.blocks, Compacted: strings.Contains(head, "compacted"),
	}
	if _, of, fork := strings.Cut(head, "fork "); fork {
		t.turn.ForkOf = of
	}
	for at++; at < len(lines) && strings.TrimSpace(lines[at]) != ""; at++ {
		t.expected += lines[at]
	}
	return t, at, nil
}

func (p *turnParser) statements(body string, firstLine int) error {
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	for i := 0; i < len(lines); {
		start := i
		verb, rest, _ := strings.Cut(lines[i], " ")
		var indented []string
		for i++; i < len(lines) && (strings.HasPrefix(lines[i], "  ") || lines[i] == ""); i++ {
			indented = append(indented, strings.TrimPrefix(lines[i], "  "))
		}
		if verb == "" {
			continue
		}
		if err := p.statement(verb, rest, strings.TrimRight(strings.Join(indented, "\n"), "\n")); err != nil {
			return fmt.Errorf("line %d: %w", firstLine+start, err)
		}
	}
	return nil
}
