package backup

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// foreign returns an error if a manifest names a stream twice, since what is verified must be what is
// restored, or names a stream that would take messages from elsewhere, send them elsewhere, or move them to
// other subjects.
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

// own reports whether a setting refers to nothing outside, or only to what the topology refers to.
func (s Stream) own(layout topology.Topology, setting string, value json.RawMessage) bool {
	switch setting {
	case "mirror", "republish":
		return false
	case "allow_msg_schedules": // the broker writes what such a message says
		return s.Name == string(events.StreamTimers) || string(value) == "false"
	case "subject_transform":
		want := layout.Transform(events.Stream(s.Name))
		return want != nil && sameFields(value, want)
	case "sources":
		return s.Name == string(events.StreamInput) && ownSources(layout, value)
	}
	// The broker reads "Mirror" as mirror.
	return strings.Trim(setting, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// ownSources reports whether INPUT copies only from the streams that the topology lists.
func ownSources(layout topology.Topology, value json.RawMessage) bool {
	var all []json.RawMessage
	if json.Unmarshal(value, &all) != nil {
		return false
	}
	for _, raw := range all {
		var from struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &from) != nil {
			return false
		}
		// The starting point may differ: repeated messages are recognised by their ids.
		want := layout.Source(from.Name)
		if want == nil || !sameFields(raw, want, "opt_start_seq", "opt_start_time") {
			return false
		}
	}
	return true
}

// sameFields reports whether JSON equals the wanted value, comparing fields by exact name, except for some.
func sameFields(have json.RawMessage, want any, except ...string) bool {
	wanted, err := json.Marshal(want)
	if err != nil {
		return false
	}
	var a, b map[string]any
	if json.Unmarshal(have, &a) != nil || json.Unmarshal(wanted, &b) != nil {
		return false
	}
	for _, field := range except {
		delete(a, field)
		delete(b, field)
	}
	return reflect.DeepEqual(a, b)
}
