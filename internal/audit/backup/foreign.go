package backup

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/strict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// foreign returns an error if a manifest names a stream twice, as what is verified has to be
// what is restored, or one that would take messages from elsewhere, send them there, or move
// them to other subjects.
func (m *Manifest) foreign() error {
	seen := map[string]bool{}
	for _, s := range m.Streams {
		if seen[s.Name] {
			return fmt.Errorf("it names the stream %.80q twice", s.Name)
		}
		seen[s.Name] = true
		if err := s.foreign(topology.Topology{Partitions: m.Partitions}); err != nil {
			return err
		}
	}
	return nil
}

func (s Stream) foreign(layout topology.Topology) error {
	config := map[string]json.RawMessage{}
	if err := json.Unmarshal(s.Config, &config); err != nil {
		return fmt.Errorf("the configuration of %.80q: %w", s.Name, err)
	}
	name := ""
	if json.Unmarshal(config["name"], &name) != nil || name != s.Name {
		return fmt.Errorf("the configuration of %.80q is that of %.80q", s.Name, name)
	}
	for setting, value := range config {
		if !s.own(layout, setting, value) {
			return fmt.Errorf("the configuration of %.80q has %.80q, which no stream of scaffoldwatch has", s.Name, setting)
		}
	}
	return nil
}

// own reports whether a setting points nowhere, or where the topology does.
func (s Stream) own(layout topology.Topology, setting string, value json.RawMessage) bool {
	switch setting {
	case "mirror", "republish":
		return false
	case "allow_msg_schedules": // the broker writes what such a message says
		return s.Name == string(events.StreamTimers) || string(value) == "false"
	case "subject_transform":
		var have jetstream.SubjectTransformConfig
		want := layout.Transform(events.Stream(s.Name))
		return want != nil && strict.Decode(value, &have) == nil && have == *want
	case "sources":
		var all []jetstream.StreamSource
		return s.Name == string(events.StreamInput) && strict.Decode(value, &all) == nil &&
			!slices.ContainsFunc(all, func(from jetstream.StreamSource) bool { return !sameSource(from, layout.Source(from.Name)) })
	}
	// The broker reads "Mirror" as mirror.
	return strings.Trim(setting, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// sameSource reports whether INPUT copies the same. Where it begins may differ, as messages
// that come again are known by their ids.
func sameSource(have jetstream.StreamSource, want *jetstream.StreamSource) bool {
	if want == nil {
		return false
	}
	have.OptStartSeq, have.OptStartTime = want.OptStartSeq, want.OptStartTime
	return reflect.DeepEqual(have, *want)
}
