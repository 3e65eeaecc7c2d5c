package install

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// notes returns what a person has to know or do in addition to the change.
func (a *Settings) notes(d document, p Plan) []string {
	var notes []string
	if a.Trust != "" {
		notes = append(notes, a.Trust)
	}
	if len(a.Off) > 0 && d.literal(a.Off) == a.OffWhen {
		notes = append(notes, fmt.Sprintf("%s is %s in this file: no hook runs until that changes.", strings.Join(a.Off, "."), a.OffWhen))
	}
	if p.Token {
		notes = append(notes, tokenNote)
	}
	return notes
}

// tokenNote says what the agent needs for a system with a token.
const tokenNote = "The system wants a token: set " + tokenVariable + " to http.token where the agent runs."

// literal returns the raw value at a path of names, or "".
func (d document) literal(names []string) string {
	value := hujson.Value{Value: d.root}
	for _, name := range names {
		o, ok := value.Value.(*hujson.Object)
		if !ok {
			return ""
		}
		at, err := member(o, name, name)
		if err != nil || at < 0 {
			return ""
		}
		value = o.Members[at].Value
	}
	l, ok := value.Value.(hujson.Literal)
	if !ok {
		return ""
	}
	return string(l)
}
