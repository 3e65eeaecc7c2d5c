package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Separator separates an input from its expectations.
const Separator = "----"

// DefaultSession is the session of turns that do not name one.
const DefaultSession = "session"

// DefaultRun is the run of run events that do not name one.
const DefaultRun = "run"

// Script is one file.
type Script struct {
	// Header is the text up to the first step.
	Header string
	// Covers are the rules and validators that the file tests: "SW-40 firing", "B1/placeholder".
	Covers []string
	Opened *sessionevents.SessionOpened
	Steps  []Step
	names  map[string]any // payloads defined by let lines
}

// Step is one input with its expectation: a turn, or another event.
type Step struct {
	Source   string // as written, up to the separator, with the comments before it
	Expected string
	Turn     *sessionevents.Turn // nil for another event
	// At is the time since the session began; 0 if not given.
	At       time.Duration
	parallel bool        // its calls were sent before any of their results
	Late     bool        // a turn whose time precedes the previous turn's (SW-1a)
	Type     events.Type // of another event, with its Data
	Run      string      // of a run event
	Data     any
}

// Parse reads a script. Errors name the line.
func Parse(text string) (*Script, error) {
	s := &Script{names: map[string]any{}}
	lines := strings.SplitAfter(text, "\n")
	between := "" // comments since the last step
	for at := 0; at < len(lines); at++ {
		line := strings.TrimRight(lines[at], "\n")
		for strings.HasSuffix(line, "\\") && at+1 < len(lines) && strings.HasPrefix(line, "opened ") {
			between += lines[at]
			at++
			line = unfold(line + "\n" + strings.TrimRight(lines[at], "\n"))
		}
		word, _, _ := strings.Cut(line, " ")
		if word != "turn" && word != "event" {
			if err := s.outside(line); err != nil {
				return nil, fmt.Errorf("line %d: %w", at+1, err)
			}
			between += lines[at]
			continue
		}
		step, last, err := s.readStep(lines, at)
		if err != nil {
			return nil, err
		}
		if len(s.Steps) == 0 {
			s.Header = between
		} else {
			step.Source = between + step.Source
		}
		s.Steps = append(s.Steps, step)
		at, between = last, ""
	}
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("the script has no turn")
	}
	return s, nil
}

// outside reads a line that does not belong to a step.
func (s *Script) outside(line string) error {
	if rest, ok := strings.CutPrefix(line, "opened "); ok {
		s.Opened = &sessionevents.SessionOpened{}
		if err := json.Unmarshal([]byte(rest), s.Opened); err != nil {
			return fmt.Errorf("opened: %w", err)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "let "); ok {
		return s.readLet(rest)
	}
	if rest, ok := strings.CutPrefix(line, "# covers: "); ok {
		for _, one := range strings.Split(rest, ",") {
			s.Covers = append(s.Covers, strings.TrimSpace(one))
		}
	}
	if line != "" && !strings.HasPrefix(line, "#") {
		return fmt.Errorf("want turn, event, opened, let or a # comment, got %q", line)
	}
	return nil
}

// Rewritten returns the file with other expectations, one for each step.
func (s *Script) Rewritten(expected []string) string {
	out := s.Header
	for i, step := range s.Steps {
		out += step.Source + Separator + "\n" + expected[i] + "\n"
	}
	return strings.TrimRight(out, "\n") + "\n"
}
