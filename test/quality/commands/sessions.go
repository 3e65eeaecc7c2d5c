package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Session is one of testdata/sessions.txt: what happened in it, then calls with the guard's expected verdict
// on each.
type Session struct {
	Title string
	Steps []Step
	Calls []SessionCall
}

// Step is something that happened before: said, offers, wrote, ran, aside, in, wave.
type Step struct{ Verb, Text, Content string }

// SessionCall is a call of a tool; a command line has the tool Bash and no input.
type SessionCall struct {
	Want, Tool string
	Text       string // the command line, or the input
}

// Sessions returns the cases of testdata/sessions.txt.
func Sessions(p *Place) ([]Session, error) {
	data, err := tables.ReadFile("testdata/sessions.txt")
	if err != nil {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	fill := strings.NewReplacer("⏎", "\n", "{home}", p.Home, "{repo}", p.Repo)
	var out []Session
	for n, line := range strings.Split(string(data), "\n") {
		if title, is := strings.CutPrefix(line, "== "); is {
			out = append(out, Session{Title: title})
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("testdata/sessions.txt: line %d: before the first session", n+1)
		}
		s := &out[len(out)-1]
		verb, rest, _ := strings.Cut(line, "\t")
		switch verb {
		case "said", "offers", "ran", "aside", "before", "in", "wave":
			s.Steps = append(s.Steps, Step{Verb: verb, Text: fill.Replace(rest)})
		case "wrote":
			name, content, _ := strings.Cut(rest, "\t")
			s.Steps = append(s.Steps, Step{verb, fill.Replace(name), fill.Replace(content)})
		case "allow", "keep", "warn", "deny":
			call := SessionCall{Want: verb, Tool: "Bash", Text: rest}
			if tool, is := strings.CutPrefix(rest, "@"); is {
				call.Tool, call.Text, _ = strings.Cut(tool, "\t")
				call.Text = strings.NewReplacer("{home}", p.Home, "{repo}", p.Repo).Replace(call.Text)
			} else {
				call.Text = fill.Replace(rest)
			}
			s.Calls = append(s.Calls, call)
		default:
			return nil, fmt.Errorf("testdata/sessions.txt: line %d: unknown verb %q", n+1, verb)
		}
	}
	return out, nil
}

// changes reports whether something really happens in a session before its calls.
func (s *Session) changes() bool {
	return slices.ContainsFunc(s.Steps, func(one Step) bool {
		return one.Verb == "wrote" || one.Verb == "ran" || one.Verb == "aside" || one.Verb == "before"
	})
}

// Reply is the answer that an agent gets before a tool runs.
type Reply struct {
	Decision string // allow, keep, warn, deny
	Text     string
}

// Playing is a session of the table that is at work at an endpoint.
type Playing struct {
	*Endpoint
	place           *Place
	id, folder, run string
}

// Begin opens a session in a repository and lets its steps happen.
func (e *Endpoint) Begin(p *Place, s *Session) (*Playing, error) {
	e.sessions++
	g := &Playing{Endpoint: e, place: p, id: fmt.Sprintf("p%d", e.sessions), folder: p.Repo}
	for _, step := range s.Steps {
		switch step.Verb {
		case "in":
			g.folder = step.Text
		case "wave":
			g.run = "wave-1"
		}
	}
	for _, step := range s.Steps {
		if step.Verb == "before" {
			if err := g.bash(step.Text + "; true"); err != nil {
				return nil, err
			}
		}
	}
	if err := g.send("UserPromptSubmit", map[string]any{"prompt": "Have a look at the totals."}); err != nil {
		return nil, err
	}
	e.desk.Wait()
	for _, step := range s.Steps {
		if err := g.step(&step); err != nil {
			return nil, fmt.Errorf("%s %s: %w", step.Verb, step.Text, err)
		}
	}
	return g, nil
}

// Ask returns the answer that the agent gets before a call.
func (g *Playing) Ask(c *SessionCall) (Reply, error) {
	input := json.RawMessage(c.Text)
	if c.Tool == "Bash" {
		var err error
		if input, err = json.Marshal(map[string]string{"command": c.Text}); err != nil {
			return Reply{}, fmt.Errorf("write the input: %w", err)
		}
	}
	if err := g.send("PreToolUse", map[string]any{"tool_name": c.Tool, "tool_use_id": "t9", "tool_input": input}); err != nil {
		return Reply{}, err
	}
	answer := g.answer
	if answer == nil {
		return Reply{Decision: "allow"}, nil
	}
	out := Reply{string(answer.Decision), answer.Text + answer.Reason}
	if out.Decision == "warn" && (strings.HasPrefix(answer.Text, "Uncommitted work is kept") || strings.Contains(answer.Text, "A snapshot holds ")) {
		out.Decision = "keep"
	}
	return out, nil
}

func (g *Playing) send(name string, fields map[string]any) error {
	return g.postIn(g.run, g.id, g.folder, name, fields)
}

// step is one thing that happens in a session before the call that is asked about.
func (g *Playing) step(s *Step) error {
	call := func(tool string, input any, does func() error) error {
		fields := map[string]any{"tool_name": tool, "tool_use_id": "t1", "tool_input": input}
		if err := g.send("PreToolUse", fields); err != nil {
			return err
		}
		if err := does(); err != nil {
			return err
		}
		fields["tool_response"] = map[string]any{"stdout": ""}
		return g.send("PostToolUse", fields)
	}
	switch s.Verb {
	case "said":
		return g.send("UserPromptSubmit", map[string]any{"prompt": s.Text})
	case "offers":
		return g.send("Stop", map[string]any{"last_assistant_message": s.Text})
	case "wrote":
		file := filepath.Join(g.place.Repo, s.Text)
		return call("Write", map[string]string{"file_path": file, "content": s.Content}, func() error {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return fmt.Errorf("make the folder: %w", err)
			}
			return os.WriteFile(file, []byte(s.Content), 0o644)
		})
	case "ran":
		return call("Bash", map[string]string{"command": s.Text}, func() error { return g.bash(s.Text) })
	case "aside":
		return g.bash(s.Text)
	}
	return nil
}

// bash runs a command line for real.
func (g *Playing) bash(line string) error {
	command := exec.Command("bash", "-c", line)
	command.Dir = g.folder
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ana", "GIT_AUTHOR_EMAIL=ana@example.org", "GIT_COMMITTER_NAME=Ana", "GIT_COMMITTER_EMAIL=ana@example.org")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
