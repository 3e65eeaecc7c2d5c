package drive

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Options configure what to drive. A driver reads those that concern it.
type Options struct {
	// Run is the run that the sessions belong to, "" for none.
	Run string

	// For an agent that is a child process: the command that starts it, its directory and environment (nil
	// means that of this process), its task, and how long it stays afterwards for an interrupt about its
	// last turn.
	Command []string
	Dir     string // "" means the current directory
	Env     []string
	Prompt  string
	Linger  time.Duration
	// Output receives what the agent says, Stderr what it prints there.
	Output, Stderr io.Writer
	// Version is our own, for agents that ask clients for theirs.
	Version string

	// For an agent that is a server: its address, and the environment variables with credentials.
	URL    string
	Getenv func(string) string
}

// Way is how an agent is driven.
type Way struct {
	Agent string // its name
	// Server is the default address of an agent that is a server; "" for a child process.
	Server string
	// New checks the options and returns the driver.
	New func(Options) (Driver, error)
}

// Ways are the agents that can be driven.
type Ways []*Way

// Names returns the names of the agents.
func (list Ways) Names() []string {
	names := make([]string, len(list))
	for i, w := range list {
		names[i] = w.Agent
	}
	return names
}

// Named returns how an agent is driven; the error lists the agents.
func (list Ways) Named(agent string) (*Way, error) {
	for _, w := range list {
		if w.Agent == agent {
			return w, nil
		}
	}
	return nil, fmt.Errorf("no driver for agent %q; there are %s", agent, strings.Join(list.Names(), ", "))
}
