package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

const office = "hours:\n  dispatch: {timezone: Europe/Berlin, days: [mon-fri], start: \"09:00\", end: \"18:00\"}\n"

// PL-51: a run that begins outside the hours for work is warned of, once, with
// the moment to hold it until; a critical one and one that ignores them are not.
func TestPL51DispatchHours(t *testing.T) {
	cases := []struct {
		name, at, rules string
		trigger         *runevents.Trigger
		until           string // "" is silent
	}{
		{"within", "2026-11-27T16:59:59Z", office, nil, ""},
		{"at the end", "2026-11-27T17:00:00Z", office, nil, "2026-11-30T08:00:00Z"},
		{"just before", "2026-11-30T07:59:59Z", office, &runevents.Trigger{Priority: "high"}, "2026-11-30T08:00:00Z"},
		{"critical", "2026-11-28T03:00:00Z", office, &runevents.Trigger{Priority: "critical"}, ""},
		{"ignores them", "2026-11-28T03:00:00Z", office, &runevents.Trigger{IgnoreWorkingHours: true}, ""},
		{"nobody set any", "2026-11-28T03:00:00Z", "", nil, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			set, err := rules.Load("mine.yaml", []byte(c.rules))
			require.NoError(t, err)
			config, err := LoadConfig(set)
			require.NoError(t, err)
			at, err := time.Parse(time.RFC3339, c.at)
			require.NoError(t, err)
			v := run.NewContext(step.Input{Event: events.Event{
				ID: "e1", Type: runevents.TypeRunStarted, Subject: "run", Time: at, Data: &runevents.RunStarted{Kind: "build", Trigger: c.trigger},
			}})
			config.Decide(&State{}, v)
			if c.until == "" {
				require.Empty(t, v.Conclusions())
				return
			}
			require.Len(t, v.Conclusions(), 1)
			warning := v.Conclusions()[0].Data.(*runevents.WarningIssued)
			require.Equal(t, "OUTSIDE-WORKING-HOURS", warning.Code)
			require.Equal(t, "PL-51", warning.Rule)
			require.Contains(t, warning.What, "hold it until "+c.until)
			require.Contains(t, warning.What, "mon-fri, 09:00 to 18:00 (Europe/Berlin)")
		})
	}
}

func TestPL51DispatchHoursThatCannotBeMeant(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("hours:\n  dispatch:\n    days: [mon-fry]\n"))
	require.NoError(t, err)
	_, err = LoadConfig(set)
	require.ErrorContains(t, err, `mine.yaml:3: hours.dispatch.days.0: "mon-fry" is not a day`)
}
