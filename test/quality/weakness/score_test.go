package weakness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func alert(line int, urgency sessionevents.Urgency) *sessionevents.Signal {
	return &sessionevents.Signal{Detector: "B2", Urgency: urgency, Evidence: []sessionevents.Evidence{{Line: line}}}
}

func measured(t *testing.T, s Sample, signals ...*sessionevents.Signal) Count {
	t.Helper()
	s.Set, s.Detector, s.Lang = "CodeQL", "B2", "python"
	r, err := Measure(nil, []Sample{s}, func(*machines.Core, string, []string) ([]*sessionevents.Signal, error) { return signals, nil })
	require.NoError(t, err)
	return *r.Groups["CodeQL B2 all"]
}

func TestAMarkIsFoundWithinThreeLines(t *testing.T) {
	s := Sample{Bad: []int{10, 30}, Good: []int{20}, Quiet: []int{40}}
	require.Equal(t, Count{Bad: 2, Found: 1, Right: 1, QueuedRight: 1}, measured(t, s, alert(13, 20)))
	require.Equal(t, Count{Bad: 2, Found: 0, Wrong: 1}, measured(t, s, alert(20, 10)), "a good line")
	require.Equal(t, Count{Bad: 2, Quiet: 1, Else: 1}, measured(t, s, alert(40, 10), alert(50, 10)), "nobody marked these")
}

func TestAGoodLineBesideABadOneIsWrong(t *testing.T) {
	s := Sample{Bad: []int{10}, Good: []int{12}}
	c := measured(t, s, alert(12, 20))
	require.Equal(t, 1, c.Wrong)
	require.Equal(t, 1, c.QueuedWrong)
}

func TestAnAlertAtTheSourceCountsThroughItsFlow(t *testing.T) {
	s := Sample{Bad: []int{5}, Flows: [][3]int{{5, 5, 30}}}
	require.Equal(t, Count{Bad: 1, Found: 1, Right: 1}, measured(t, s, alert(30, 10)))
	require.Equal(t, 0, measured(t, Sample{Bad: []int{5}, Flows: [][3]int{{6, 5, 30}}}, alert(30, 10)).Found, "another alert's flow")
	require.Equal(t, 0, measured(t, Sample{Bad: []int{2}, Flows: [][3]int{{2, 0, 0}}}, alert(40, 10)).Found, "0 is in another file")
}

func TestAFileIsJudgedAsAWhole(t *testing.T) {
	weak, sound := 1, 0
	require.Equal(t, Count{Bad: 1, Found: 1, Right: 1}, measured(t, Sample{Label: &weak}, alert(3, 10)))
	require.Equal(t, Count{Sound: 1, Wrong: 1, SoundWithFire: 1, QueuedWrong: 1}, measured(t, Sample{Label: &sound}, alert(3, 20)))
}
