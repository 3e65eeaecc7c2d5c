package install

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// current reports whether the file holds exactly the handlers that would be written. Errors in the file are
// reported when hooks are added.
func (a *Settings) current(d document, p Plan) (bool, error) {
	wanted, err := a.wanted(p)
	if err != nil {
		return false, err
	}
	at, err := member(d.root, "hooks", "hooks")
	if err != nil || at < 0 {
		return false, nil
	}
	hooks, ok := d.root.Members[at].Value.Value.(*hujson.Object)
	if !ok {
		return false, nil
	}
	found := 0
	for _, m := range hooks.Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for _, v := range list.Elements {
			if !a.holdsOurs(v) {
				continue
			}
			if event := m.Name.Value.(hujson.Literal).String(); canonical(v.Pack()) != wanted[event] {
				return false, nil
			}
			found++
		}
	}
	return found == len(wanted), nil
}

// wanted returns what would be written for each event.
func (a *Settings) wanted(p Plan) (map[string]string, error) {
	wanted := make(map[string]string, len(a.Hooks))
	for _, event := range a.Hooks {
		content, err := a.entry(p)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(content)
		if err != nil {
			return nil, fmt.Errorf("write a hook: %w", err)
		}
		wanted[event] = canonical(text)
	}
	return wanted, nil
}

// holdsOurs reports whether a value is a handler of ours or a group with one.
func (a *Settings) holdsOurs(v hujson.Value) bool {
	if a.ours(v) {
		return true
	}
	inner := handlersOf(v)
	return inner != nil && slices.ContainsFunc(inner.Elements, a.ours)
}

// canonical returns a value without white space, comments and order of names.
func canonical(text []byte) string {
	plain, err := hujson.Standardize(text)
	if err != nil {
		return string(text)
	}
	var value any
	if json.Unmarshal(plain, &value) != nil {
		return string(text)
	}
	ordered, err := json.Marshal(value)
	if err != nil {
		return string(text)
	}
	return string(ordered)
}
