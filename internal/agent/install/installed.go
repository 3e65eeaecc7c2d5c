package install

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"mvdan.cc/sh/v3/shell"
)

// Installed is what an agent's settings contain of ours.
type Installed struct {
	Path   string // path of the settings
	Exists bool
	// Used reports whether the agent has a folder of its own where the settings would be, so that it is in
	// use here even though nobody has changed a setting.
	Used bool
	// Events are the hooks that call us, Command the line that the first of them runs, as written there,
	// Program its first word, and URL the system that it calls.
	Events                []string
	Command, Program, URL string
	// Plugin is our plugin as the agent names it, where the person installed it.
	Plugin string
}

// pluginName is that of our plugins in every marketplace.
const pluginName = "scaffoldwatch"

// IsPlugin reports whether an agent's name for a plugin, NAME@MARKETPLACE, is ours.
func IsPlugin(name string) bool {
	own, _, _ := strings.Cut(name, "@")
	return own == pluginName
}

// Installed returns which of our hooks the settings contain; it changes nothing.
func (p Plan) Installed() (Installed, error) {
	a, f, err := p.look()
	found := Installed{Path: f.name, Exists: f.exists, Used: f.exists || p.used(f.name)}
	if err != nil || !f.exists {
		return found, err
	}
	if a.Module != "" {
		if words := a.moduleWords(f.data); a.isModule(f.data) && len(words) > 0 {
			found.Events, found.Program = a.Hooks, words[0]
			found.Command, err = p.quoted(words)
		}
		return found, err
	}
	d, err := parse(f.name, f.data)
	if err != nil {
		return found, err
	}
	at, err := member(d.root, "hooks", "hooks")
	if err != nil || at < 0 {
		return found, nil
	}
	hooks, ok := d.root.Members[at].Value.Value.(*hujson.Object)
	if !ok {
		return found, nil
	}
	for _, m := range hooks.Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for _, v := range list.Elements {
			if command, is := a.commandOf(v); is {
				found.Events = append(found.Events, m.Name.Value.(hujson.Literal).String())
				if found.Command == "" {
					found.Command = command
				}
			}
		}
	}
	if words, err := shell.Fields(found.Command, func(string) string { return "" }); err == nil && len(words) > 0 {
		found.Program, found.URL = strings.TrimSpace(words[0]), DefaultURL
		if at := slices.Index(words, "--url"); at > 0 && at+1 < len(words) {
			found.URL = words[at+1]
		}
	}
	return found, nil
}

// used reports whether the folder of the settings exists and is the agent's own: the home and a project's
// folder are shared.
func (p Plan) used(settings string) bool {
	folder := filepath.Dir(settings)
	return p.Scope == ScopeUser && folder != p.Home && strings.HasPrefix(filepath.Base(folder), ".") && exists(folder)
}

// commandOf returns the command of a handler of ours, or of the first one in a group.
func (a *Settings) commandOf(v hujson.Value) (string, bool) {
	if a.ours(v) {
		return text(v, "command"), true
	}
	inner := handlersOf(v)
	if inner == nil {
		return "", false
	}
	for _, e := range inner.Elements {
		if a.ours(e) {
			return text(e, "command"), true
		}
	}
	return "", false
}
