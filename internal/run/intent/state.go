package intent

import "github.com/scaffoldwatch/scaffoldwatch/internal/text"

// State holds the facts about a run's intent. Config.Kept bounds its lists and texts.
type State struct {
	On           bool   `json:"on,omitempty"`
	Confirmation string `json:"confirmation,omitempty"` // require_intent_confirmation
	Skip         bool   `json:"skip,omitempty"`         // PL-37
	Urgent       bool   `json:"urgent,omitempty"`       // its notices do not wait for working hours (PL-51)
	Worked       bool   `json:"worked,omitempty"`       // an agent or a phase was completed

	Ticket     *Ticket     `json:"ticket,omitempty"`
	Sources    Sources     `json:"sources"`
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
	Due        Level       `json:"due,omitempty"` // a council is due at this level
	Confirmed  bool        `json:"confirmed,omitempty"`
	Council    *Outcome    `json:"council,omitempty"`
	Requests   []Request   `json:"requests,omitempty"`
	Members    []Member    `json:"members,omitempty"` // of the next council, as they were spawned
	Held       []Held      `json:"held,omitempty"`    // phases that started while the run was paused

	Sessions    []Session  `json:"sessions,omitempty"`
	FirstEdit   *Edit      `json:"first_edit,omitempty"`
	Assumptions string     `json:"assumptions,omitempty"` // id of the first assumptions.stated
	Questions   []Question `json:"questions,omitempty"`
	Told        []string   `json:"told,omitempty"`
	Log         Log        `json:"log"`
}

// Ticket is the result of pre-flight.
type Ticket struct {
	Event       string   `json:"event"`
	Title       string   `json:"title"`
	WordSignals int      `json:"word_signals,omitempty"`
	Words       string   `json:"words,omitempty"`
	NoCriteria  bool     `json:"no_criteria,omitempty"`
	Failed      []string `json:"failed,omitempty"`
	SubtypeA    bool     `json:"subtype_a,omitempty"`
}

// Sources holds the facts about the sources of context (PL-31, PL-38a).
type Sources struct {
	Event  string   `json:"event,omitempty"`
	Tier0  Presence `json:"tier0,omitempty"`
	Tier1  Presence `json:"tier1,omitempty"`
	Failed []string `json:"failed,omitempty"` // names of sources
	// Tried1 and Tried2 report whether a source of the tier was asked, or none is
	// configured.
	Tried1 bool `json:"tried1,omitempty"`
	Tried2 bool `json:"tried2,omitempty"`
}

// Presence reports whether content was given; "" means unknown.
type Presence string

// Presences.
const (
	Given Presence = "given"
	Empty Presence = "empty"
)

// Checkpoint is an agent's stated understanding and its confidence.
type Checkpoint struct {
	Event          string   `json:"event"`
	Session        string   `json:"session,omitempty"`
	Turn           int      `json:"turn,omitempty"`
	TaskType       string   `json:"task_type,omitempty"`
	Interpretation string   `json:"interpretation,omitempty"`
	Rivals         []string `json:"rivals,omitempty"`
	Assumptions    []string `json:"assumptions,omitempty"`
	Self           Level    `json:"self,omitempty"`
	Effective      Level    `json:"effective,omitempty"`
	Diverging      bool     `json:"diverging,omitempty"` // samples fall into several clusters
}

// Outcome is the outcome of a council.
type Outcome struct {
	Event    string   `json:"event"`
	Level    Level    `json:"level,omitempty"`
	Mode     string   `json:"mode,omitempty"`
	Survived bool     `json:"survived,omitempty"`
	Winner   string   `json:"winner,omitempty"`
	Basis    string   `json:"basis,omitempty"`
	Dissents []string `json:"dissents,omitempty"`
}

// Member is a challenger, or the primary, as spawned.
type Member struct {
	ID      string `json:"id"`
	Family  string `json:"family,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Primary bool   `json:"primary,omitempty"`
	// Unfit is set for a member that was spawned against the rules. That was reported
	// then, and it may have been replaced since.
	Unfit bool `json:"unfit,omitempty"`
}

// Session is a session of the run.
type Session struct {
	ID   string `json:"id"`
	Turn int    `json:"turn"` // last evaluated
}

// Edit is the first edit of the run.
type Edit struct {
	Event   string `json:"event"`
	Session string `json:"session,omitempty"`
	Path    string `json:"path"`
}

// Question is a question that a phase left open (PL-38a).
type Question struct {
	Event string `json:"event"`
	Text  string `json:"text"`
}

// session records a session's turn.
func (s *State) session(id string, turn, most int) {
	for i := range s.Sessions {
		if s.Sessions[i].ID == id {
			s.Sessions[i].Turn = max(s.Sessions[i].Turn, turn)
			return
		}
	}
	s.Sessions = text.Newest(append(s.Sessions, Session{ID: id, Turn: turn}), most)
}

// turnOf returns the last evaluated turn of a session, 0 if there is none.
func (s *State) turnOf(session string) int {
	for _, known := range s.Sessions {
		if known.ID == session {
			return known.Turn
		}
	}
	return 0
}

// worker returns the session that receives an answer: the checkpoint's, otherwise the
// run's latest; "" if none is known.
func (s *State) worker() string {
	if s.Checkpoint != nil && s.Checkpoint.Session != "" {
		return s.Checkpoint.Session
	}
	if n := len(s.Sessions); n > 0 {
		return s.Sessions[n-1].ID
	}
	return ""
}

// clip cuts a text to most bytes of valid UTF-8, so that JSON does not change it.
func clip(s string, most int) string { return text.Cut(text.Valid(s), most) }

// texts returns the first entries of a list, clipped.
func (c *Config) texts(list []string) []string {
	var out []string
	for _, text := range list {
		if len(out) < c.Kept.List {
			out = append(out, clip(text, c.Kept.Text))
		}
	}
	return out
}

func (c *Config) text(s string) string { return clip(s, c.Kept.Text) }
