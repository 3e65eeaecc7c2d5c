package cli

import (
	"fmt"
	"os/user"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Author is who answers; it stands in the record.
type Author struct {
	By string `help:"Your name in the record; defaults to your user name." placeholder:"NAME"`
}

// Name is the author, or the user of this process.
func (a Author) Name() string {
	if a.By != "" {
		return a.By
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "operator"
}

// Reason is why a person does something; it stands in the record.
type Reason struct {
	Why string `help:"Reason, which is recorded." placeholder:"TEXT"`
}

// Check fails where no reason is given; example is the call that lacks it.
func (w Reason) Check(example string) error {
	if w.Why == "" {
		return Usage(fmt.Errorf("say why, it stands in the record: %s --why '…'", example))
	}
	return nil
}

// Human is the actor of what a person does.
func (a Author) Human() runevents.Actor {
	return runevents.Actor{Kind: runevents.ActorHuman, ID: a.Name()}
}
