package moments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Level is how far what was found got.
type Level int

// Levels, in rising order.
const (
	Unseen Level = iota
	Suppressed
	Logged
	Queued
	Said
)

var levelNames = [...]string{"unseen", "suppressed", "logged", "queued", "said"}

// String returns the level's name in tables.
func (l Level) String() string { return levelNames[l] }

// Signal is one signal with what became of it.
type Signal struct {
	ID       string
	Detector string
	Kind     string
	Withheld bool // it rests on a reading that is not sure enough (JD-2)
	Turn     int
	Level    Level
	text     string
}

// Interrupt is one fired interrupt with the detectors of its signals.
type Interrupt struct {
	Key       string // stable name of it without any text of the session
	Session   string
	Turn      int
	Signals   []string // its ids, the leading one first
	Detectors []string
	Kind      string // detector and subclass of its first subject: "E1/failed"
	FromQueue bool
	Message   string
	text      string
}

// Recorder collects what was decided about sessions.
type Recorder struct {
	signals    map[string][]*Signal
	interrupts map[string][]*Interrupt
	byID       map[string]*Signal
	subjects   map[string]string
}

// NewRecorder makes an empty recorder.
func NewRecorder() *Recorder {
	return &Recorder{signals: map[string][]*Signal{}, interrupts: map[string][]*Interrupt{}, byID: map[string]*Signal{}, subjects: map[string]string{}}
}

// Take records a derived event; others than signals, their dispositions and
// interrupts are ignored.
func (r *Recorder) Take(e events.Event) {
	switch d := e.Data.(type) {
	case *sessionevents.Signal:
		s := &Signal{
			ID: d.ID, Detector: d.Detector, Kind: strings.TrimSuffix(d.Detector+"/"+d.Subclass, "/"),
			Withheld: d.Withheld == detect.Reading, Turn: d.Turn, Level: Logged, text: plain(d),
		}
		if d.Suppressed != "" {
			s.Level = Suppressed
		}
		r.byID[d.ID], r.subjects[d.ID] = s, d.Subject
		r.signals[d.Session] = append(r.signals[d.Session], s)
	case *sessionevents.Disposition:
		if s := r.byID[d.Signal]; s != nil && e.Type == events.Type(sessionevents.TypeSignalSuppressed) {
			s.Level = Suppressed
		}
	case *sessionevents.InterruptQueued:
		if s := r.byID[d.Signal]; s != nil {
			s.Level = max(s.Level, Queued)
		}
	case *sessionevents.InterruptFired:
		r.interrupt(d)
	}
}

func (r *Recorder) interrupt(d *sessionevents.InterruptFired) {
	i := &Interrupt{
		Session: d.Session, Turn: d.Turn, Signals: d.Signals, FromQueue: d.FromQueue, Message: d.Message,
		text: plain(d),
	}
	subject := ""
	for _, id := range d.Signals {
		if s := r.byID[id]; s != nil {
			s.Level = Said
			if i.Kind == "" {
				i.Kind = s.Kind
			}
			i.Detectors = append(i.Detectors, s.Detector)
			i.text += s.text
			subject += r.subjects[id]
		}
	}
	if len(i.Detectors) == 0 {
		i.Detectors, i.Kind = []string{d.Detector}, d.Detector
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %v %s", d.Session, d.Turn, i.Detectors, subject))
	i.Key = hex.EncodeToString(sum[:6])
	r.interrupts[d.Session] = append(r.interrupts[d.Session], i)
}

// plain returns every text of a payload in lower case, with quotes and backslashes as the session had them.
func plain(payload any) string {
	encoded, err := json.Marshal(payload)
	if err != nil {
		panic(fmt.Sprintf("encode a payload: %v", err)) // it was decoded from JSON
	}
	return strings.ToLower(strings.NewReplacer(`\"`, `"`, `\\`, `\`, "\\u003c", "<", "\\u003e", ">", "\\u0026", "&").Replace(string(encoded)))
}
