package workload

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Style is how an orchestrator publishes its runs. What happens in them is the
// same.
type Style struct {
	Name string
	// Faithful marks a style that omits nothing that shows a dysfunction.
	Faithful bool
	restyle  func(Case, *rand.Rand) []events.Event
}

// Styles are the reporting styles of common orchestrators; [Fleet] uses the first.
var Styles = []Style{
	{"plain", true, func(c Case, _ *rand.Rand) []events.Event { return c.Events }},
	{"talkative", true, talkative},
	{"long", true, long},
	{"terse", false, terse},
	{"unannounced", false, unannounced},
	{"renamed", true, renamed},
	{"instant", true, instant},
	{"repeated", true, repeated},
}

// In returns the case in a style.
func (c Case) In(s Style, seed uint64) Case {
	c.Name += ", " + s.Name
	random := rand.New(rand.NewPCG(seed, 77))
	copied := make([]events.Event, len(c.Events))
	for i, e := range c.Events {
		e.Data = clone(e)
		copied[i] = e
	}
	c.Events = copied
	c.Events = s.restyle(c, random)
	return c
}

// clone returns an event's data apart from the original.
func clone(e events.Event) any {
	text, err := events.EncodeData(e)
	if err != nil {
		panic(fmt.Sprintf("write %s: %v", e.ID, err))
	}
	data, err := events.DecodeData(e.Type, text)
	if err != nil {
		panic(fmt.Sprintf("read %s: %v", e.ID, err))
	}
	return data
}

// unannounced begins in the middle: no event starts the run.
func unannounced(c Case, _ *rand.Rand) []events.Event {
	return slices.DeleteFunc(c.Events, func(e events.Event) bool { return e.Type == runevents.TypeRunStarted })
}

// instant has a clock that does not advance.
func instant(c Case, _ *rand.Rand) []events.Event {
	for i := range c.Events {
		c.Events[i].Time = c.Events[0].Time
	}
	return c.Events
}

// repeated sends many of its events a second time, sooner or later.
func repeated(c Case, random *rand.Rand) []events.Event {
	due := map[int][]events.Event{}
	var list []events.Event
	for i, e := range c.Events {
		list = append(append(list, e), due[i]...)
		if random.IntN(2) == 0 {
			at := i + 1 + random.IntN(len(c.Events)-i)
			due[at] = append(due[at], e)
		}
	}
	return append(list, due[len(c.Events)]...)
}

// terse publishes what it must and no more.
func terse(c Case, _ *rand.Rand) []events.Event {
	for _, e := range c.Events {
		switch e.Data.(type) {
		case *runevents.AssumptionsStated, *runevents.TestCompleted:
			continue // an assumption says what it rests on (PL-38), a run of tests its scope (WP-14)
		}
		if d, known := events.Lookup(e.Type); known && d.RunEvent {
			strip(reflect.ValueOf(e.Data).Elem())
		}
	}
	return c.Events
}

// strip clears every field that may be left out.
func strip(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name != "" && strings.Contains(options, "omitempty") {
				v.Field(i).SetZero()
			} else {
				strip(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			strip(v.Index(i))
		}
	}
}

// renamed gives everybody another name.
func renamed(c Case, _ *rand.Rand) []events.Event {
	for i, e := range c.Events {
		text, err := events.EncodeData(e)
		if err != nil {
			panic(fmt.Sprintf("write %s: %v", e.ID, err))
		}
		var fields any
		if err := json.Unmarshal(text, &fields); err != nil {
			panic(fmt.Sprintf("read %s: %v", e.ID, err))
		}
		text, _ = json.Marshal(rename(fields, "")) // it came from text
		if e.Data, err = events.DecodeData(e.Type, text); err != nil {
			panic(fmt.Sprintf("read %s renamed: %v", e.ID, err))
		}
		if e.Subject != e.Group() || c.Alone() {
			e.Subject = alias(e.Subject)
		}
		if c.Alone() {
			e.PartitionKey = e.Subject
		}
		e.ID = events.DerivedID("fleet", e.Source, e.ID, 0)
		c.Events[i] = e
	}
	return c.Events
}

// names are the fields that name somebody.
var names = []string{"agent_id", "reviewer", "author", "session", "by"}

func rename(value any, of string) any {
	switch v := value.(type) {
	case map[string]any:
		for field, inner := range v {
			name, text := inner.(string)
			switch {
			case text && name != "" && (slices.Contains(names, field) || field == "id" && (of == "actor" || of == "agent")):
				v[field] = alias(name)
			case text && field == "archetype":
				v[field] = strings.ToUpper(name[:1]) + name[1:]
			default:
				v[field] = rename(inner, field)
			}
		}
	case []any:
		for i := range v {
			v[i] = rename(v[i], of)
		}
	}
	return value
}

func alias(name string) string { return events.DerivedID("fleet", "name", name, 0)[:14] }
