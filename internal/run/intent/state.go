package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/ambiguity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

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

// rivalNamed is PL-32: a checkpoint for building, reworking or designing something names
// at least one other reading of the task.
var rivalNamed = Rule{ID: "PL-32", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context,
	data *runevents.IntentCheckpoint,
) {
	if c.state.Skip || !slices.Contains(c.config.RivalTasks, data.TaskType) {
		return
	}
	for _, rival := range data.RivalInterpretations {
		if rival = strings.TrimSpace(rival); rival != "" && !strings.EqualFold(rival,
			strings.TrimSpace(data.Interpretation)) {
			return
		}
	}
	c.warnOnce("PL-32", CodeNoRival, "",
		fmt.Sprintf("The checkpoint names no rival interpretation; its task type is %s.", clip(data.TaskType, 40)))
})}

// enoughContext is PL-38a: the sources consulted before the checkpoint. Tier 1 is
// required for every task, Tier 2 if the ticket leaves something open; a source that is
// not configured does not count as missing.
var enoughContext = Rule{ID: "PL-38a", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context,
	data *runevents.IntentCheckpoint,
) {
	if c.state.Skip {
		return
	}
	b, sources := readBreakdown(data.ConfidenceBreakdown), c.state.Sources
	if b.tier1 == Empty && sources.Tier1 != Given && !sources.Tried1 {
		c.warnOnce("PL-38a", CodeContextIncomplete, "1",
			"Tier 1 (epic, acceptance criteria, linked issues) was not asked before the checkpoint.", sources.Event)
	}
	unclear := c.state.Ticket != nil && !c.state.Confirmed &&
		(c.state.Ticket.WordSignals > 0 || c.state.Ticket.NoCriteria)
	if unclear && b.tier2 == Empty && !sources.Tried2 {
		c.warnOnce("PL-38a", CodeContextIncomplete, "2",
			"The ticket leaves something open and Tier 2 (chat, documents, history) was "+
				"never searched before the checkpoint.", c.state.ticketEvent())
	}
})}

// inconsistent reports whether plans that were made independently disagree; missing
// statements agree with everything.
func (c *Config) inconsistent(said any) bool {
	switch said := said.(type) {
	case bool:
		return !said
	case string:
		said = strings.ToLower(strings.TrimSpace(said))
		return said != "" && !slices.Contains(c.PlansAgree, said)
	}
	return false
}

// ticketChecked is pre-flight (PL-30): a ticket that fails two checks is Subtype A, and
// the operator, the only one who knows what is missing, is asked at once.
var ticketChecked = Rule{ID: "PL-30", On: run.Types(runevents.TypeTicketReceived), Run: run.With(func(c *Context, data *runevents.TicketReceived) {
	r := c.config.analyzer.Analyze(ambiguity.Ticket{Title: data.Title, Text: data.Text, Criteria: data.AcceptanceCriteria})
	t := &Ticket{Event: c.Event.ID, Title: c.config.text(data.Title), WordSignals: r.WordSignals(), Words: c.config.text(words(r)), NoCriteria: !r.HasCriteria}
	var why []string
	for _, check := range r.Failed() {
		t.Failed = append(t.Failed, check.Name)
		why = append(why, fmt.Sprintf("%s: %s", strings.ReplaceAll(check.Name, "_", " "), c.config.text(check.Why)))
	}
	t.SubtypeA = len(t.Failed) >= c.config.SubtypeAFailures
	before := c.state.Ticket
	c.state.Ticket = t
	if before != nil {
		if before.same(t) {
			return
		}
		c.state.Confirmed = false // the ticket was rewritten
		c.state.withdraw()
	}
	if !t.SubtypeA || c.state.Skip {
		return
	}
	c.state.Log.Tally.TicketsA++
	c.warn("PL-30", CodeSubtypeA, fmt.Sprintf("The ticket leaves open what is meant (Subtype A); it fails %d of 5 pre-flight checks: %s.", len(t.Failed), strings.Join(why, "; ")))
	if c.state.Confirmation != confirmNever {
		c.ask(c.structural(nil).level, t.readings())
	}
})}

// same reports whether the ticket is a duplicate.
func (t *Ticket) same(other *Ticket) bool {
	return t.Title == other.Title && t.Words == other.Words && t.NoCriteria == other.NoCriteria && slices.Equal(t.Failed, other.Failed)
}

// words lists the ticket's ambiguous words for people.
func words(r *ambiguity.Report) string {
	var out []string
	for i := range r.Sentences {
		for _, s := range r.Sentences[i].Signals {
			out = append(out, strings.ReplaceAll(string(s.Kind), "_", " ")+" "+quote.Text(s.Word))
		}
	}
	return strings.Join(out, ", ")
}

// vague reports whether the ticket lacks something that only the operator knows: it
// failed pre-flight and has no answer yet (PL-34). The rival readings that every agent
// must name (PL-32) do not make it merely ambiguous, since challengers would fill the gap
// in the same way; only diverging samples show readings worth comparing.
func (s *State) vague() bool {
	if s.Ticket == nil || !s.Ticket.SubtypeA || s.Confirmed {
		return false
	}
	return s.Checkpoint == nil || !s.Checkpoint.Diverging
}

// rivals reports whether more than one reading of the ticket is known.
func (c *Checkpoint) rivals() bool { return len(c.Rivals) > 0 || c.Diverging }
