package install

import (
	"cmp"
	"fmt"
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

// Scope determines whose settings are changed.
type Scope string

// The scopes: a person's own settings, or those of the project in a folder.
const (
	ScopeUser    Scope = "user"
	ScopeProject Scope = "project"
)

// Settings is what differs between agents: where the settings file is and what is written into it.
type Settings struct {
	Agent string // its name
	// Folder and File name the file below the home or the project. Environment variables in Home replace
	// the folder, those in Base its parent.
	Folder, File string
	Home, Base   []string
	// Project is the folder below a project if it has another name there, and Below the folder of the file
	// inside one named by Home.
	Project, Below string
	// Config is the folder below XDG_CONFIG_HOME, where that is set, for agents that keep to it.
	Config string
	// Module is the source of a plugin for an agent that loads code: the file is ours alone. Its first line
	// marks it, the word COMMAND stands for the program.
	Module string
	// Hooks are the hooks to install, in the order in which they are written.
	Hooks []string
	// Flat marks a file of handlers by event (Cursor); otherwise handlers are in groups.
	Flat bool
	// Timeout is that of a handler, in the agent's unit: 5 s, long enough for a loaded machine and short
	// enough not to block a session when a system hangs.
	Timeout     int
	HandlerName string // shown by the agent instead of the command, "" for none
	Version     int    // number of "version" in a new file; 0 for none
	Trust       string // what a person still has to do before the hooks run
	// Off is the path of the setting that disables all hooks when it has the value OffWhen.
	Off     []string
	OffWhen string
}

// List holds the settings of the agents that can be set up.
type List []*Settings

// Names returns the names of the agents.
func (list List) Names() []string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Agent
	}
	return names
}

// Named returns the settings of an agent; the error lists the agents.
func (list List) Named(agent string) (*Settings, error) {
	for _, s := range list {
		if s.Agent == agent {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no agent %q; there are %s", agent, strings.Join(list.Names(), ", "))
}

// path returns the settings file of a scope.
func (a *Settings) path(p Plan) (string, error) {
	if p.Scope == ScopeProject {
		return filepath.Join(p.Directory, cmp.Or(a.Project, a.Folder), a.File), nil
	}
	for _, name := range a.Home {
		if folder := p.Environment(name); folder != "" {
			return filepath.Join(folder, a.Below, a.File), nil
		}
	}
	if folder := p.Environment("XDG_CONFIG_HOME"); a.Config != "" && folder != "" {
		return filepath.Join(folder, a.Config, a.File), nil
	}
	for _, name := range a.Base {
		if folder := p.Environment(name); folder != "" {
			return filepath.Join(folder, a.Folder, a.File), nil
		}
	}
	if p.Home == "" {
		return "", fmt.Errorf("find the settings of %s: no home directory is known; set HOME or use --scope project", a.Agent)
	}
	return filepath.Join(p.Home, a.Folder, a.File), nil
}
