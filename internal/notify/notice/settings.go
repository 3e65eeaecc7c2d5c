package notice

import (
	"fmt"
	"slices"
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Layers of people (PL-50).
const (
	LayerOperator = runevents.NotificationOperator // those who are responsible for a run
	LayerTeam     = runevents.NotificationTeam     // those who review its results
)

// Channel is a way to reach people, without its address, which only the edge knows.
type Channel struct {
	ID      string
	Kind    string                        // slack, webhook, console, …
	Layers  []runevents.NotificationLayer // layers that it accepts; none means both
	Notices []string                      // kinds of notices that it accepts; none means all
	Hours   *workhours.Hours              // its own working hours; nil means those of all
	// Resolves reports whether the channel is also notified when an incident is settled.
	Resolves bool
	// Mark changes with its address: a channel that was switched off is tried again once it has a new one.
	Mark string
}

func (c *Channel) takes(layer runevents.NotificationLayer, kind string) bool {
	return (len(c.Layers) == 0 || slices.Contains(c.Layers, layer)) && (len(c.Notices) == 0 || slices.Contains(c.Notices, kind))
}

// Route configures how a layer is notified, as in Alertmanager.
type Route struct {
	Channels []string `yaml:"channels"` // ids; a run's own (trigger.notify) take precedence
	// GroupWait is how long the first notice of a group waits for more, GroupInterval the least time
	// between two messages of a group.
	GroupWait     time.Duration `yaml:"group_wait"`
	GroupInterval time.Duration `yaml:"group_interval"`
	// RepeatInterval repeats what nobody has answered; 0 disables it.
	RepeatInterval time.Duration `yaml:"repeat_interval"`
	// Digest collects everything of the layer into one message at this interval; 0 disables it.
	Digest time.Duration `yaml:"digest"`
}

// Retry configures how a failed message is retried.
type Retry struct {
	First    time.Duration `yaml:"first"`   // pause after the first failure, doubled each time
	Longest  time.Duration `yaml:"longest"` // longest pause
	GiveUp   time.Duration `yaml:"give_up"` // since the first attempt
	Attempts int           `yaml:"attempts" range:"1..100"`
}

// Settings are the settings of an installation.
type Settings struct {
	Channels []Channel
	Operator Route
	Team     Route
	Hours    workhours.Hours
	// MaxAge combines what happened earlier than this, while nothing was sent, into one digest.
	MaxAge time.Duration
	Retry  Retry
	// Link is the address of a run's page, with {run} for its id; "" for none.
	Link string
}

// DefaultSettings returns the times for an installation that configures only channels.
func DefaultSettings() Settings {
	return Settings{
		Operator: Route{GroupWait: 30 * time.Second, GroupInterval: 5 * time.Minute, RepeatInterval: 4 * time.Hour},
		Team:     Route{GroupWait: time.Minute, GroupInterval: 15 * time.Minute},
		MaxAge:   24 * time.Hour,
		Retry:    Retry{First: 5 * time.Second, Longest: 30 * time.Minute, GiveUp: 24 * time.Hour, Attempts: 30},
	}
}

// check rejects invalid settings; its paths are those of the file.
func (s *Settings) check(kinds []string) error {
	ids := make([]string, 0, len(s.Channels))
	for _, c := range s.Channels {
		if slices.Contains(ids, c.ID) {
			return &rules.Invalid{Path: []string{"channels", c.ID}, Why: fmt.Sprintf("there are two channels %q; give each a name of its own", c.ID)}
		}
		ids = append(ids, c.ID)
		for i, kind := range c.Notices {
			if !slices.Contains(kinds, kind) {
				return &rules.Invalid{Path: []string{"channels", c.ID, "notices", fmt.Sprint(i)}, Why: fmt.Sprintf("%q is not a notice; %s", kind, rules.Choices(kind, kinds))}
			}
		}
	}
	for name, route := range map[runevents.NotificationLayer]*Route{LayerOperator: &s.Operator, LayerTeam: &s.Team} {
		for i, id := range route.Channels {
			if !slices.Contains(ids, id) {
				return &rules.Invalid{Path: []string{string(name), "channels", fmt.Sprint(i)}, Why: fmt.Sprintf("%q is not a channel; %s", id, rules.Choices(id, ids))}
			}
		}
		for key, d := range map[string]time.Duration{"group_wait": route.GroupWait, "group_interval": route.GroupInterval, "repeat_interval": route.RepeatInterval, "digest": route.Digest} {
			if d < 0 {
				return &rules.Invalid{Path: []string{string(name), key}, Why: fmt.Sprintf("%s is negative; it must be a duration such as 30s, 5m or 4h", d)}
			}
		}
	}
	for key, d := range map[string]time.Duration{"first": s.Retry.First, "longest": s.Retry.Longest, "give_up": s.Retry.GiveUp} {
		if d <= 0 {
			return &rules.Invalid{Path: []string{"retry", key}, Why: "must be more than 0, for example 5s"}
		}
	}
	return nil
}
