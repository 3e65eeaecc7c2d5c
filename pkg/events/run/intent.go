package run

// OpenQuestion is a question that a phase leaves open. One that would change the implementation
// must be resolved, or be in the risk register, before the implementation begins (PL-38a).
type OpenQuestion struct {
	Question              string `json:"question"`
	ChangesImplementation bool   `json:"changes_implementation,omitempty"`
	Resolution            string `json:"resolution,omitempty"` // the answer; empty: none yet
	Risk                  string `json:"risk,omitempty"`       // its entry in the risk register
}

// Observation is an observation of a retrospective, and how it was handled (PL-38a).
type Observation struct {
	Text        string `json:"text"`
	Disposition string `json:"disposition,omitempty"` // filed, accepted or fixed
}

// Contradiction is a contradiction between the sources of a context. The source of higher
// authority must be followed: adr, acceptance_criteria, epic, design_doc, chat (PL-38a).
type Contradiction struct {
	What       string   `json:"what"`
	Between    []string `json:"between"`               // kinds of the sources
	ResolvedTo string   `json:"resolved_to,omitempty"` // the kind that was followed; empty: not resolved
}
