package moments

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func everything(string) bool { return true }

// record plays one signal of a turn and, if fired, an interrupt with it.
func record(detector string, turn int, message string, fired bool) *Recorder {
	r := NewRecorder()
	r.Take(events.Event{Type: events.Type(sessionevents.TypeSignalDetected), Data: &sessionevents.Signal{Session: "s", ID: "x", Turn: turn, Detector: detector, Message: message}})
	if fired {
		r.Take(events.Event{Type: events.Type(sessionevents.TypeInterruptFired), Data: &sessionevents.InterruptFired{Session: "s", Turn: turn, Detector: detector, Signals: []string{"x"}, Message: message}})
	}
	return r
}

func TestAMomentIsHeard(t *testing.T) {
	moment := Moment{Session: "s", Classes: []string{"C4", "E1"}, From: 5, Until: 9, About: []string{"Out.html"}, Strength: "strong", Should: "say"}
	cases := map[string]struct {
		detector string
		turn     int
		message  string
		fired    bool
		level    Level
		met      bool
	}{
		"one turn before":    {"C4", 4, "out.html is written again", true, Said, true},
		"two turns before":   {"C4", 3, "out.html is written again", true, Unseen, false},
		"two turns after":    {"C4", 11, "out.html is written again", true, Said, true},
		"three turns after":  {"C4", 12, "out.html is written again", true, Unseen, false},
		"another class":      {"A1", 6, "out.html is written again", true, Unseen, false},
		"its other class":    {"E2", 6, "out.html is written again", true, Said, true},
		"none of its words":  {"C4", 6, "the same call came again", true, Unseen, false},
		"a signal, not said": {"C4", 6, "out.html is written again", false, Logged, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v := (&Marked{Moments: []Moment{moment}}).Judge(record(c.detector, c.turn, c.message, c.fired), everything)
			require.Equal(t, c.level, v.Heard[0].Level)
			require.Equal(t, c.met, v.Heard[0].Met())
			if c.fired {
				require.Equal(t, c.level == Said, v.Fired[0].Matches)
			}
		})
	}
}

// A moment worth a line in the report is met by a signal, said or not; one that
// was suppressed is not.
func TestALineInTheReport(t *testing.T) {
	marked := &Marked{Moments: []Moment{{Session: "s", Classes: []string{"D1"}, From: 2, Until: 2, About: []string{"x"}, Should: "log"}}}
	r := record("D1", 2, "x", false)
	require.True(t, marked.Judge(r, everything).Heard[0].Met())
	r.Take(events.Event{Type: events.Type(sessionevents.TypeSignalSuppressed), Data: &sessionevents.Disposition{Session: "s", Signal: "x"}})
	v := marked.Judge(r, everything)
	require.Equal(t, Suppressed, v.Heard[0].Level)
	require.False(t, v.Heard[0].Met())
}

func TestAKnownWrongAlarmIsRepeated(t *testing.T) {
	marked := &Marked{Wrong: []Alarm{{Session: "s", Detector: "C4", From: 5, Until: 5}}}
	v := marked.Judge(record("C4", 5, "x", true), everything)
	require.Len(t, v.Repeated, 1)
	require.True(t, v.Fired[0].KnownWrong)
	require.Empty(t, marked.Judge(record("C4", 6, "x", false), everything).Repeated)
	require.Empty(t, marked.Judge(record("D3", 5, "x", true), everything).Repeated)
}

// An interrupt that nobody read counts as wrong; its key holds no text of the session.
func TestPrecisionCountsWhatWasRead(t *testing.T) {
	v := (&Marked{}).Judge(record("C4", 5, "private words", true), everything)
	require.Equal(t, Share{0, 1}, v.Precision(nil))
	require.Equal(t, Share{1, 1}, v.Precision(Judgements{v.Fired[0].Key: Right}))
	require.NotContains(t, v.Fired[0].Key, "private")
}

func TestLoadNamesTheLine(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "moments"), 0o755))
	for _, set := range Sets {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "moments", set+".jsonl"), []byte("{}\n"), 0o644))
	}
	marked, err := Load(folder)
	require.NoError(t, err)
	require.Len(t, marked.Moments, len(Sets))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "moments", "long.jsonl"), []byte("{}\n{\n"), 0o644))
	_, err = Load(folder)
	require.ErrorContains(t, err, "long.jsonl:2")
	_, err = Load(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestJudgedIsReadable(t *testing.T) {
	_, err := Judged()
	require.NoError(t, err)
}
