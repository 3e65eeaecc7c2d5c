package notice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Nobody is notified of what `doctor --test` plants; every denial that differs from it in anything is told.
func TestATestOfTheDoctorNotifiesNobody(t *testing.T) {
	words, err := LoadWords(rules.Default())
	require.NoError(t, err)
	planted := sessionevents.GuardDecided{
		Session: prevented.TestSession + "17", Call: prevented.TestCall, Command: prevented.TestCommand,
		Verdict: sessionevents.HookDeny,
		Acts:    []sessionevents.GuardAct{{Act: "discard", Target: "work.txt", Owner: "person"}},
	}
	notices := func(change func(*sessionevents.GuardDecided)) int {
		d := planted
		change(&d)
		return len(words.told(events.Event{Subject: d.Session, Data: &d}))
	}
	require.Zero(t, notices(func(*sessionevents.GuardDecided) {}))
	require.Zero(
		t,
		notices(func(d *sessionevents.GuardDecided) { d.Call = "" }),
		"of an agent that does not number its calls",
	)
	for name, change := range map[string]func(*sessionevents.GuardDecided){
		"another command":  func(d *sessionevents.GuardDecided) { d.Command = "git reset --hard && rm -rf /srv" },
		"another call":     func(d *sessionevents.GuardDecided) { d.Call = "toolu_1" },
		"another session":  func(d *sessionevents.GuardDecided) { d.Session = "doctor-who" },
		"a session's name": func(d *sessionevents.GuardDecided) { d.Session = prevented.TestSession },
		"kept": func(d *sessionevents.GuardDecided) {
			d.Verdict, d.RescueRef = sessionevents.HookAllow,
				"refs/x"
		},
	} {
		require.Equal(t, 1, notices(change), name)
	}
}
