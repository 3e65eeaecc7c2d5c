package archeflow

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
)

// line is one event of the log. Fields are read loosely: an orchestrator made of
// prompts writes numbers as text and leaves out what it likes.
type line struct {
	At     loose.Time      `json:"ts"`
	Run    loose.String    `json:"run_id"`
	Seq    loose.Int       `json:"seq"` // from 1; 0 where it is missing
	Parent numbers         `json:"parent"`
	Type   loose.String    `json:"type"`
	Phase  loose.String    `json:"phase"`
	Agent  loose.String    `json:"agent"`
	Data   json.RawMessage `json:"data"`

	number int    // of the line, from 1
	offset int64  // in bytes
	place  int64  // among the lines of its run
	hash   string // of the line as written
}

// readLine reads one line of the log.
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

// fields reads the event's own data, also where a shell quoted it into a string;
// of another shape than an object it is empty.
func (l *line) fields() *fields {
	f := &fields{}
	if trimmed := bytes.TrimSpace(loose.Object(l.Data)); len(trimmed) > 0 && trimmed[0] == '{' {
		_ = json.Unmarshal(trimmed, f) // every field is read loosely
	}
	return f
}

// numbers is a list of numbers; one that is none is left out, a single one is a list.
type numbers []int64

// UnmarshalJSON never fails on a type.
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
