package notice

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State is what is pending and what was sent, as plain JSON. [Limits] limit its size: the numbers of runs,
// groups, messages, and notices in a message.
type State struct {
	// Since is when notifying started: earlier events are sent only if they still wait for a person.
	Since    time.Time          `json:"since"`
	Runs     map[string]*Run    `json:"runs,omitempty"`
	Groups   map[string]*Group  `json:"groups,omitempty"`
	Outbox   []*Message         `json:"outbox,omitempty"` // oldest first
	Channels map[string]*Health `json:"channels,omitempty"`
	Facts    []Fact             `json:"facts,omitempty"` // to be recorded, oldest first
	Past     []Past             `json:"past,omitempty"`  // oldest first
	Shed     int                `json:"shed,omitempty"`  // messages dropped because too many were pending
}

// Run holds the preferences of a run (run.started.trigger).
type Run struct {
	Goal     string    `json:"goal,omitempty"`
	Channels []string  `json:"channels,omitempty"`
	Urgent   bool      `json:"urgent,omitempty"` // PL-51: critical, or working hours ignored
	Last     time.Time `json:"last"`
}

// Group is the content of one message: for one channel, about one run and kind, or everything of a channel
// that is digested, held, late or too much at once.
type Group struct {
	Channel string                      `json:"channel"`
	Layer   runevents.NotificationLayer `json:"layer,omitempty"`
	Run     string                      `json:"run,omitempty"`
	Kind    string                      `json:"kind,omitempty"`
	// Gathers is set if it holds notices of any kind: digest, held, late, burst.
	Gathers string    `json:"gathers,omitempty"`
	Waiting []Notice  `json:"waiting,omitempty"`
	More    int       `json:"more,omitempty"` // pending notices beyond the limit
	Open    []Notice  `json:"open,omitempty"` // sent, and still waiting for a person
	Due     time.Time `json:"due"`
	Told    time.Time `json:"told"`
	Repeat  time.Time `json:"repeat"` // zero if it is not repeated
}

// Kinds of groups that gather notices.
const (
	gathersDigest = "digest"
	gathersHeld   = "held"
	gathersLate   = "late"
	gathersBurst  = "burst"
)

// Message is one message to one channel. Key is the same for every attempt.
type Message struct {
	Key     string `json:"key"`
	Channel string `json:"channel"`
	Title   string `json:"title"`
	Text    string `json:"text,omitempty"`
	URL     string `json:"url,omitempty"`
	Urgent  bool   `json:"urgent,omitempty"`
	Group   string `json:"group"` // the same for all notices of one run and kind
	Run     string `json:"run,omitempty"`
	Gathers string `json:"gathers,omitempty"`
	Again   bool   `json:"again,omitempty"` // it repeats what was sent
	// Incident is the same for the messages about what is open in one group and for the one that settles
	// it; otherwise it is unique to the message.
	Incident string    `json:"incident,omitempty"`
	Resolved bool      `json:"resolved,omitempty"` // it settles the incident
	Notices  []Notice  `json:"notices"`
	More     int       `json:"more,omitempty"`
	Made     time.Time `json:"made"`
	After    time.Time `json:"after"` // not to be sent before
	Attempts int       `json:"attempts,omitempty"`
	Problem  string    `json:"problem,omitempty"` // error of the last attempt
}

// Health is the condition of a channel.
type Health struct {
	Off   string    `json:"off,omitempty"` // why it is switched off
	At    time.Time `json:"at"`
	Mark  string    `json:"mark,omitempty"` // mark of its address at that time
	Wait  time.Time `json:"wait"`           // it asked to wait until then
	Fails int       `json:"fails,omitempty"`
}

// Fact is an event that records the outcome of a notice.
type Fact struct {
	ID      string                 `json:"id"`
	Type    events.Type            `json:"type"` // notification.sent, notification.held
	Subject string                 `json:"subject"`
	Run     string                 `json:"run,omitempty"`
	At      time.Time              `json:"at"`
	Data    runevents.Notification `json:"data"`
}

// Past is a line about a message that was sent or failed.
type Past struct {
	At      time.Time `json:"at"`
	Channel string    `json:"channel"`
	Outcome string    `json:"outcome"` // delivered, failed, dropped
	Title   string    `json:"title"`
	Text    string    `json:"text,omitempty"` // text for the console
	Why     string    `json:"why,omitempty"`
	Key     string    `json:"key"`
}

// NewState returns an empty state that starts now.
func NewState(now time.Time) *State {
	return &State{Since: now.UTC(), Runs: map[string]*Run{}, Groups: map[string]*Group{}, Channels: map[string]*Health{}}
}

// complete creates the maps that JSON left out.
func (s *State) complete() {
	if s.Runs == nil {
		s.Runs = map[string]*Run{}
	}
	if s.Groups == nil {
		s.Groups = map[string]*Group{}
	}
	if s.Channels == nil {
		s.Channels = map[string]*Health{}
	}
}
