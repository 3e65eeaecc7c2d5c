package pairs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Each pair holds in both halves, except those known not to.
func TestPairs(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	list, err := Load("testdata")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(list), 150)
	unheard, alarmed := 0, 0
	for _, p := range list {
		v, err := Judge(core, p)
		require.NoError(t, err)
		if v.Unheard {
			unheard++
		}
		if len(v.Alarms)+len(v.False) > 0 {
			alarmed++
		}
		t.Run(p.Detector+"/"+p.Name, func(t *testing.T) { check(t, v) })
	}
	t.Logf("%d pairs: %d heard, %d twins quiet", len(list), len(list)-unheard, len(list)-alarmed)
}

func check(t *testing.T, v Verdict) {
	if v.Open {
		require.False(t, v.Holds(), "the pair holds now: take the mark (open) off")
		return
	}
	if v.Unheard {
		t.Errorf("%s says nothing of the firing half", v.Detector)
	}
	for _, c := range v.Unproven {
		t.Errorf("not proven: %s %q: %s %s", c.Kind, c.Text, c.Verdict, c.Why)
	}
	for _, c := range v.False {
		t.Errorf("proven in the twin: %s %q: %s", c.Kind, c.Text, c.Why)
	}
	for _, s := range v.Alarms {
		t.Errorf("of the twin is said: %s/%s %s %s", s.Detector, s.Subclass, s.Urgency, s.Message)
	}
}
