package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Reply is what an agent is to get. The zero value is nothing.
type Reply struct {
	Context string // a text for the model
	Deny    string // why the tool that is about to run must not
	Halt    string // why the agent must stop
	// Person is what the person at the agent sees, as far as the agent does not show
	// it anyway (CO-4).
	Person string
}

// Refusal returns why the tool that is about to run must not: the halt's reason,
// else the denial's, "" for none.
func (r Reply) Refusal() string { return cmp.Or(r.Halt, r.Deny) }

// Unseen returns what the person must see of the reply where the agent shows them the text for the
// model itself.
func (r Reply) Unseen() string {
	if r.Context == "" {
		return r.Person
	}
	return strings.TrimSpace(strings.Replace(r.Person, r.Context, "", 1))
}

// maxText is the most characters that an agent accepts of one text.
const maxText = 10_000

// Encode returns a reply in the agent's own JSON, as far as the agent accepts one
// at this event: `{}` where it does not. Accepts reports beforehand whether it can.
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

func short(text string) string {
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText-1]) + "…"
}
