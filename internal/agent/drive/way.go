package drive

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Options say what to drive. A driver reads those that concern it.
type Options struct {
	// Run is the run the sessions belong to, "" for none.
	Run string

	// Of an agent that is a process of ours: the command that starts it, where and
	// in which environment (nil for this process's own), its task, and how long it
	// stays when that is done, for an interrupt about its last turn.
	Command []string
	Dir     string // "" is the current one
	Env     []string
	Prompt  string
	Linger  time.Duration
	// Output receives what the agent says, Stderr what it prints there.
	Output, Stderr io.Writer
	// Version is our own, for an agent that asks its clients for theirs.
	Version string

	// Of an agent that runs as a server: its address, and the variables that hold
	// what authenticates.
	URL    string
	Getenv func(string) string
}

// Way is how an agent is driven.
type Way struct {
	Agent string // its name
	// Server is the address at which an agent listens that runs as a server, unless
	// told otherwise; "" for one that is a process of ours.
	Server string
	// New checks the options and makes the driver.
	New func(Options) (Driver, error)
}

// Ways are the agents that can be driven.
type Ways []*Way

// Names lists the names of the agents.
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
