package install

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"mvdan.cc/sh/v3/syntax"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// tokenVariable is the environment variable for the bearer token on the agent's side.
const tokenVariable = "SCAFFOLDWATCH_HOOK_TOKEN"

// handler is one entry of an agent's settings; the fields are in the order in which they are written.
type handler struct {
	Type    string `json:"type,omitempty"`
	Name    string `json:"name,omitempty"`
	Command string `json:"command,omitempty"`
	Timeout int    `json:"timeout,omitempty"`
}

// group is a list of handlers with one matcher; without a matcher it applies to everything.
type group struct {
	Hooks []handler `json:"hooks"`
}

// entry returns what is written for an event.
func (a *Settings) entry(p Plan) (any, error) {
	command, err := p.command(a.Agent)
	if err != nil {
		return nil, err
	}
	h := handler{Type: "command", Command: command, Timeout: a.Timeout}
	if a.Flat {
		h.Type = ""
		return h, nil
	}
	h.Name = a.HandlerName
	return group{Hooks: []handler{h}}, nil
}

// command returns the shell line that runs our hook.
func (p Plan) command(name string) (string, error) {
	if p.line != "" {
		return p.line, nil
	}
	return p.quoted(p.words(name))
}

// quoted returns words as a line of the shell.
func (Plan) quoted(words []string) (string, error) {
	out := make([]string, len(words))
	for i, w := range words {
		quoted, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil {
			return "", err
		}
		out[i] = quoted
	}
	return strings.Join(out, " "), nil
}

// words are the program that our hooks run, with its arguments.
func (p Plan) words(name string) []string {
	words := []string{p.Program, "hook", "--agent", name}
	if p.Client != "" {
		words = []string{p.Client, "--agent", name}
	}
	if p.URL != DefaultURL {
		words = append(words, "--url", p.URL)
	}
	if p.FailClosed {
		words = append(words, "--fail-closed")
	}
	return words
}

func hookPath(name string) string { return "/v1/hooks/" + name }

// ourCommand matches our program, small or full, with the agent that it serves.
var ourCommand = pattern.Must(`scaffoldwatch(?:[^\s/\\]*['"]?\s+hook|-hook[^\s/\\]*)['"]?\s+--agent[\s=]+([a-z-]+)`)

// ours reports whether we wrote a handler in a settings file; those with an address are from earlier
// versions.
func (a *Settings) ours(v hujson.Value) bool {
	if u := text(v, "url"); u != "" {
		parsed, err := url.Parse(u)
		return err == nil && path.Clean(parsed.Path) == hookPath(a.Agent)
	}
	found := ourCommand.FindStringSubmatch(text(v, "command"))
	return found != nil && found[1] == a.Agent
}

// text returns the string with a name in an object, or "".
func text(v hujson.Value, name string) string {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return ""
	}
	for _, m := range object.Members {
		if l, ok := m.Value.Value.(hujson.Literal); ok && named(m, name) && l.Kind() == '"' {
			return l.String()
		}
	}
	return ""
}

// current reports whether the file holds exactly the handlers that would be written. Errors in the file are
// reported when hooks are added.
func (a *Settings) current(d document, p Plan) (bool, error) {
	wanted, err := a.wanted(p)
	if err != nil {
		return false, err
	}
	at, err := member(d.root, "hooks", "hooks")
	if err != nil || at < 0 {
		return false, nil
	}
	hooks, ok := d.root.Members[at].Value.Value.(*hujson.Object)
	if !ok {
		return false, nil
	}
	found := 0
	for _, m := range hooks.Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for _, v := range list.Elements {
			if !a.holdsOurs(v) {
				continue
			}
			if event := m.Name.Value.(hujson.Literal).String(); canonical(v.Pack()) != wanted[event] {
				return false, nil
			}
			found++
		}
	}
	return found == len(wanted), nil
}

// wanted returns what would be written for each event.
func (a *Settings) wanted(p Plan) (map[string]string, error) {
	wanted := make(map[string]string, len(a.Hooks))
	for _, event := range a.Hooks {
		content, err := a.entry(p)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(content)
		if err != nil {
			return nil, fmt.Errorf("write a hook: %w", err)
		}
		wanted[event] = canonical(text)
	}
	return wanted, nil
}

// holdsOurs reports whether a value is a handler of ours or a group with one.
func (a *Settings) holdsOurs(v hujson.Value) bool {
	if a.ours(v) {
		return true
	}
	inner := handlersOf(v)
	return inner != nil && slices.ContainsFunc(inner.Elements, a.ours)
}

// canonical returns a value without white space, comments and order of names.
func canonical(text []byte) string {
	plain, err := hujson.Standardize(text)
	if err != nil {
		return string(text)
	}
	var value any
	if json.Unmarshal(plain, &value) != nil {
		return string(text)
	}
	ordered, err := json.Marshal(value)
	if err != nil {
		return string(text)
	}
	return string(ordered)
}
