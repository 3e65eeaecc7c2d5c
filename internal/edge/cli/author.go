package cli

import (
	"fmt"
	"os/user"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Author is the person who acts; the name is recorded.
type Author struct {
	By string `help:"Your name in the record; defaults to your user name." placeholder:"NAME"`
}

// Name returns the author's name, or the user name of this process if none was given.
func (a Author) Name() string {
	if a.By != "" {
		return a.By
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "operator"
}

// Reason is why a person acts; it is recorded.
type Reason struct {
	Why string `help:"Reason, which is recorded." placeholder:"TEXT"`
}

// Check fails if no reason is given; example is the call without it.
func (w Reason) Check(example string) error {
	if w.Why == "" {
		return Usage(fmt.Errorf("give a reason, for the record: %s --why '…'", example))
	}
	return nil
}

// Human returns the actor recorded for a person's act.
func (a Author) Human() runevents.Actor {
	return runevents.Actor{Kind: runevents.ActorHuman, ID: a.Name()}
}
