package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Reply is the content of a reply. The zero value means nothing.
type Reply struct {
	Context string // a text for the model
	Deny    string // why the tool that is about to run is denied
	Halt    string // why the agent must stop
	// Person is what the person at the agent sees, unless the agent shows it anyway (CO-4).
	Person string
}

// Refusal returns why the tool that is about to run is denied: the halt's reason, else the denial's, "" if
// it is not.
func (r Reply) Refusal() string { return cmp.Or(r.Halt, r.Deny) }

// Unseen returns what the person must still see of the reply if the agent itself shows them the text for
// the model.
func (r Reply) Unseen() string {
	if r.Context == "" {
		return r.Person
	}
	return strings.TrimSpace(strings.Replace(r.Person, r.Context, "", 1))
}

// NotThePerson begins a text that makes an agent continue which passes it to the model as a message of the
// person, and to our own hook as a prompt. The rules (adapters) know it as not the person's (IN-3).
const NotThePerson = "Note of scaffoldwatch, not of the person: "

// maxText limits one text to what agents accept, in characters.
const maxText = 10_000

// Encode returns a reply in the agent's own JSON, as far as the agent accepts one at this event, otherwise
// `{}`. Accepts reports in advance whether it does.
func (e *Event) Encode(r Reply) ([]byte, error) {
	var out any = struct{}{}
	if reply := e.Dialect.Reply(e, Reply{Context: short(r.Context), Deny: short(r.Deny), Halt: short(r.Halt), Person: short(r.Person)}); reply != nil {
		out = reply
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode the reply to %s: %w", e.Name, err)
	}
	return data, nil
}

// Shows reports whether a text for the person can be part of the reply.
func (e *Event) Shows() bool { return e.Dialect.Reply(e, Reply{Person: "?"}) != nil }

// Accepts reports whether a text for the model can be part of the reply.
func (e *Event) Accepts() bool { return e.Dialect.Reply(e, Reply{Context: "?"}) != nil }

func short(s string) string { return text.Short(s, maxText) }
