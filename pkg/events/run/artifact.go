package run

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Artifact is a document that a phase hands over: {kind, version, …fields} (PL-1).
// Reading one never fails: anything other than an object with a kind is kept in Document
// for the contract check to reject (PL-4).
type Artifact struct {
	Kind     string          // e.g. wr.coding_handoff
	Version  int             // 0 if missing or not a number
	Document json.RawMessage // the whole document, kind and version included
}

// UnmarshalJSON keeps the document and reads kind and version where they are usable.
func (a *Artifact) UnmarshalJSON(b []byte) error {
	*a = Artifact{Document: bytes.Clone(b)}
	var head struct {
		Kind    json.RawMessage `json:"kind"`
		Version json.RawMessage `json:"version"`
	}
	if json.Unmarshal(b, &head) != nil {
		return nil
	}
	if json.Unmarshal(head.Kind, &a.Kind) != nil {
		a.Kind = ""
	}
	a.Version, _ = strconv.Atoi(string(bytes.Trim(head.Version, `"`)))
	return nil
}

// MarshalJSON writes the document, or kind and version if there is none.
func (a Artifact) MarshalJSON() ([]byte, error) {
	if len(a.Document) > 0 {
		return a.Document, nil
	}
	return json.Marshal(struct {
		Kind    string `json:"kind"`
		Version int    `json:"version"`
	}{a.Kind, a.Version})
}
