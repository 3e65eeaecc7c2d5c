package archeflow

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
)

// line is one event of the log. Fields are parsed leniently: an orchestrator made of prompts writes numbers
// as text and leaves fields out.
type line struct {
	At     loose.Time      `json:"ts"`
	Run    loose.String    `json:"run_id"`
	Seq    loose.Int       `json:"seq"` // from 1; 0 if missing
	Parent numbers         `json:"parent"`
	Type   loose.String    `json:"type"`
	Phase  loose.String    `json:"phase"`
	Agent  loose.String    `json:"agent"`
	Data   json.RawMessage `json:"data"`

	number int    // number of the line, from 1
	offset int64  // in bytes
	place  int64  // position among the lines of its run
	hash   string // hash of the line as written
}

// readLine parses one line of the log.
func readLine(data []byte) (*line, error) {
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, fmt.Errorf("not a JSON object")
	}
	l := &line{}
	if err := json.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("not an event of the log: %w", err)
	}
	if l.Run == "" || l.Type == "" {
		return nil, fmt.Errorf("an event without run_id or type")
	}
	l.Seq = max(l.Seq, 0)
	return l, nil
}

// fields parses the event's own data, even if a shell quoted it into a string; it is empty unless it is an
// object.
func (l *line) fields() *fields {
	f := &fields{}
	if trimmed := bytes.TrimSpace(loose.Object(l.Data)); len(trimmed) > 0 && trimmed[0] == '{' {
		_ = json.Unmarshal(trimmed, f) // every field is parsed leniently
	}
	return f
}

// numbers is a list of numbers; other elements are left out, and a single number counts as a list.
type numbers []int64

// UnmarshalJSON accepts any type.
func (n *numbers) UnmarshalJSON(b []byte) error {
	var list []loose.Int
	if json.Unmarshal(b, &list) != nil {
		var one loose.Int
		_ = json.Unmarshal(b, &one)
		list = []loose.Int{one}
	}
	*n = nil
	for _, v := range list {
		if v > 0 {
			*n = append(*n, int64(v))
		}
	}
	return nil
}
