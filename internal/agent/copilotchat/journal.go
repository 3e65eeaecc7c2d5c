package copilotchat

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
)

// maxJournal limits how many bytes of changes are applied (EV-3).
const maxJournal = 64 << 20

// change is a line of a journal: 0 is the whole state, 1 a value at a path, 2 values appended to a list
// (possibly after truncating it), 3 the removal of a value.
type change struct {
	Kind *loose.Int      `json:"kind"`
	Path []any           `json:"k"`
	V    json.RawMessage `json:"v"`
	Cut  *loose.Int      `json:"i"`
}

// journal is the state after the changes so far.
type journal struct {
	state map[string]any
	bytes int
}

func (j *journal) apply(c *change, size int) error {
	if j.bytes += size; j.bytes > maxJournal {
		return fmt.Errorf("the journal is over the limit of %d bytes", maxJournal)
	}
	var value any
	if len(c.V) > 0 {
		if err := json.Unmarshal(c.V, &value); err != nil {
			return fmt.Errorf("a change without a value: %w", err)
		}
	}
	if *c.Kind == 0 {
		state, is := value.(map[string]any)
		if !is {
			return errors.New("a state that is not an object")
		}
		j.state = state
		return nil
	}
	if j.state == nil || len(c.Path) == 0 {
		return errors.New("a change without a state or path")
	}
	_, err := set(j.state, c.Path, func(old any) any {
		switch *c.Kind {
		case 2:
			list, _ := old.([]any)
			if c.Cut != nil && int(*c.Cut) >= 0 && int(*c.Cut) < len(list) {
				list = list[:*c.Cut]
			}
			more, _ := value.([]any)
			return append(list, more...)
		case 3:
			return nil
		}
		return value
	})
	return err
}

// set changes the value at a path and returns the container.
func set(at any, path []any, change func(any) any) (any, error) {
	if len(path) == 0 {
		return change(at), nil
	}
	switch key := path[0].(type) {
	case string:
		object, is := at.(map[string]any)
		if !is {
			return at, errors.New("a change at a path that does not exist")
		}
		inner, err := set(object[key], path[1:], change)
		if err == nil {
			object[key] = inner
		}
		return object, err
	case float64:
		list, is := at.([]any)
		n := int(key)
		if !is || n < 0 || n > len(list) {
			return at, errors.New("a change at a position that does not exist")
		}
		if n == len(list) {
			list = append(list, nil)
		}
		inner, err := set(list[n], path[1:], change)
		if err == nil {
			list[n] = inner
		}
		return list, err
	}
	return at, errors.New("a change at a path of another kind")
}

func (j *journal) session() string {
	id, _ := j.state["sessionId"].(string)
	return id
}

// requests returns the requests in the state, as JSON.
func (j *journal) requests() (list []json.RawMessage) {
	all, _ := j.state["requests"].([]any)
	for _, r := range all {
		if raw, err := json.Marshal(r); err == nil {
			list = append(list, raw)
		}
	}
	return list
}
