package install

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
)

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
