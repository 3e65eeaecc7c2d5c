package runevent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Build builds the data of a run event from JSON, which may be empty, and from assignments, which take
// precedence. The actor is given separately; if neither it nor the JSON names one, it defaults to that of
// the type's role.
func Build(d events.Descriptor, data []byte, assignments []string, actor runevents.Actor) (any, error) {
	object := map[string]any{}
	if len(strings.TrimSpace(string(data))) > 0 {
		read, err := readJSON(string(data))
		if err != nil {
			return nil, fmt.Errorf("--data: must be JSON: %w", json.Unmarshal(data, new(any)))
		}
		var ok bool
		if object, ok = read.(map[string]any); !ok {
			return nil, fmt.Errorf("--data: the data of %s is a JSON object", d.Type)
		}
	}
	fields, err := Fields(d.Type)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, a := range assignments {
		if err := assign(object, fields, a, seen); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Type, err)
		}
	}
	if _, told := object["actor"]; !told || actor.Kind != "" {
		object["actor"] = events.ActorFor(actor, d.Role)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", d.Type, err)
	}
	e := events.Event{ID: "check", Source: "/check", Type: d.Type, Subject: "check", Raw: text}
	if e.Data, err = events.DecodeData(d.Type, text); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Type, err)
	}
	if err := events.Validate(e, events.Limits{}); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Type, err)
	}
	if unknown := e.UnknownFields(); len(unknown) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(unknown)))
		return nil, fmt.Errorf("--data: %s: %w", d.Type, unknownField(first, fields))
	}
	return e.Data, nil
}

// ParseActor parses KIND or KIND:ID.
func ParseActor(text string) (runevents.Actor, error) {
	kind, id, _ := strings.Cut(text, ":")
	switch actor := (runevents.Actor{Kind: runevents.ActorKind(kind), ID: id}); actor.Kind {
	case runevents.ActorHuman, runevents.ActorOrchestrator, runevents.ActorScout, runevents.ActorScaffold, runevents.ActorWaveAgent, runevents.ActorInfra:
		return actor, nil
	}
	return runevents.Actor{}, fmt.Errorf("%q is not an actor; use human, orchestrator, scout, scaffold, wave_agent or infra, with :ID where there is one", text)
}
