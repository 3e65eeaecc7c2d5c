package run_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// context is the Context of a layer with two counters as its state.
type context struct {
	*run.Context
	tasks, all int
}

var layer = run.List(
	run.Rule[*context]{ID: "T-1", On: run.EveryRunEvent(), Run: func(c *context) { c.all++ }},
	run.Rule[*context]{ID: "T-2", On: run.Types(runevents.TypeTaskCompleted), Run: run.With(func(c *context, data *runevents.TaskCompleted) {
		c.tasks++
		c.Warning(runevents.WarningIssued{Code: "TASK", What: data.Task})
	})},
)

func apply(t *testing.T, observer run.Observer, typ events.Type, data any) *context {
	t.Helper()
	c := &context{Context: run.NewContext(step.Input{Event: events.Event{ID: "e", Type: typ, Subject: "r", Data: data}}, observer)}
	layer.Run(c)
	return c
}

func TestRulesRunInOrderOnTheirTypes(t *testing.T) {
	var ran []string
	observer := func(rule string, concluded bool) { ran = append(ran, fmt.Sprint(rule, " ", concluded)) }
	c := apply(t, observer, runevents.TypeTaskCompleted, &runevents.TaskCompleted{Task: "t1"})
	require.Equal(t, []string{"T-1 false", "T-2 true"}, ran)
	require.Equal(t, 1, c.tasks)
	require.Len(t, c.Conclusions(), 1)

	ran = nil
	c = apply(t, observer, runevents.TypeRunStarted, &runevents.RunStarted{})
	require.Equal(t, []string{"T-1 false"}, ran)
	require.Zero(t, c.tasks)
	require.Equal(t, 1, c.all)
	require.Empty(t, c.Conclusions())
}

// A payload that is not the type's is ignored; without an observer nothing is
// reported.
func TestWithIgnoresOtherPayloads(t *testing.T) {
	c := apply(t, nil, runevents.TypeTaskCompleted, &runevents.RunStarted{})
	require.Equal(t, 1, c.all)
	require.Zero(t, c.tasks)
}

func TestOnIsAQuery(t *testing.T) {
	require.Len(t, layer.All(), 2)
	require.Len(t, layer.On(runevents.TypeTaskCompleted), 2)
	require.Len(t, layer.On(runevents.TypeRunStarted), 1)
	require.Empty(t, layer.On(events.TypeTimerExpired))
}

func TestListRefusesIncompleteRules(t *testing.T) {
	nothing := func(*context) {}
	for name, rule := range map[string]run.Rule[*context]{
		"no id":        {On: run.Types(events.TypeTimerExpired), Run: nothing},
		"no types":     {ID: "T-3", Run: nothing},
		"no function":  {ID: "T-3", On: run.Types(events.TypeTimerExpired)},
		"unknown type": {ID: "T-3", On: run.Types("nobody.knows"), Run: nothing},
	} {
		require.Panics(t, func() { run.List(rule) }, name)
	}
}
