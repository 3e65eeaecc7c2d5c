package workload

import (
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// talkative fills in optional fields and publishes more than anybody asked for.
func talkative(c Case, random *rand.Rand) []events.Event {
	var list []events.Event
	for i, e := range c.Events {
		e.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		elaborate(e.Data, e.Time)
		list = append(list, e)
		if chat := chatter(e, random); chat != nil && i > 0 && i < len(c.Events)-1 {
			list = append(list, events.Event{
				ID: e.ID + "-chat", Source: source, Type: chat.typ, Subject: e.Group(), Time: e.Time, PartitionKey: e.PartitionKey, Correlation: e.Correlation, Data: chat.data,
			})
		}
	}
	return list
}

// elaborate fills in what says nothing new.
func elaborate(data any, at time.Time) {
	switch d := data.(type) {
	case *runevents.RunStarted:
		if d.Trigger == nil {
			d.Trigger = &runevents.Trigger{}
		}
		d.Trigger.ID, d.Trigger.Priority, d.Trigger.IgnoreWorkingHours, d.Trigger.Notify = "nightly", "critical", true, runevents.TextList{"chat"}
	case *runevents.RunCompleted:
		d.PRURL, d.Summary = "https://git.example/shop/pull/88", "It is done, as was planned."
	case *runevents.PhaseStarted:
		d.Cycle, d.Attempt = max(d.Cycle, 1), max(d.Attempt, 1)
	case *runevents.PhaseCompleted:
		d.Cycle, d.Attempt = max(d.Cycle, 1), max(d.Attempt, 1)
	case *runevents.AgentSpawned:
		if d.MaxTurns == 0 {
			d.MaxTurns = 12
		}
		if d.ModelFamily == "" {
			d.ModelFamily = "claude"
		}
	case *runevents.AgentCompleted:
		if d.DurationMS == 0 {
			d.DurationMS = 61_000
		}
	case *runevents.GitCommit:
		d.Message = "pages: pass limit and offset through"
	case *runevents.ReviewCompleted:
		d.StartedAt = at.Add(-time.Duration(d.DurationMS) * time.Millisecond).Format(time.RFC3339)
	}
}

type chat struct {
	typ  events.Type
	data any
}

// chatter returns said behind some events of a run and means nothing.
func chatter(e events.Event, random *rand.Rand) *chat {
	if d, known := events.Lookup(e.Type); !known || !d.RunEvent || random.IntN(3) > 0 {
		return nil
	}
	switch e.Type {
	case runevents.TypePhaseStarted:
		return &chat{runevents.TypeMemoryInjected, &runevents.MemoryInjected{Actor: orchestrator, Lessons: []runevents.Lesson{{ID: "L9", Text: "Close what you open."}}}}
	case runevents.TypePhaseCompleted:
		return &chat{runevents.TypeTestCompleted, &runevents.TestCompleted{Actor: orchestrator, Scope: "scoped", Passed: true, Suite: "orders"}}
	}
	return nil
}
