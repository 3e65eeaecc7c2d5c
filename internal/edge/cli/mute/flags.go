package mute

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// details checks the flags and returns the mute that they describe.
func (c *Mute) details(now time.Time) (runevents.MuteDetails, error) {
	d := runevents.MuteDetails{Scope: runevents.MuteSession, Detector: c.Detector, Subject: c.Subject, Turns: c.Turns}
	switch {
	case c.Why == "":
		return d, errors.New("give a reason with --why: a mute is recorded")
	case c.Detector == "" && c.Subject == "" && c.Session == "" && c.OfRun == "":
		return d, errors.New("name what to silence: --detector, --subject, --session or --run")
	case c.Session != "" && c.OfRun != "":
		return d, errors.New("--session or --run, not both")
	case c.Turns < 0:
		return d, fmt.Errorf("--turns %d: must be 1 or more", c.Turns)
	case c.Turns > 0 && c.Until != "":
		return d, errors.New("--turns or --until, not both")
	case c.Subject != "":
		d.Scope = runevents.MuteSubject
	case c.Detector != "":
		d.Scope = runevents.MuteDetector
	}
	for flag, id := range map[string]string{"--session": c.Session, "--run": c.OfRun} {
		if id != "" && !events.ValidID(id) {
			return d, fmt.Errorf("%s %q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", flag, id)
		}
	}
	if c.Until != "" {
		until, err := UntilTime(c.Until, now)
		if err != nil {
			return d, err
		}
		d.Until = &until
	}
	return d, nil
}

// checkDetector fails for a detector that does not exist, and returns the detectors that escalate: their
// findings bypass budget and grace turn.
func (c *Mute) checkDetector(r *cli.Call) (escalating []string, err error) {
	set, config, err := dispatching(c.Connection, r)
	if err != nil {
		return nil, err
	}
	detectors, err := evaluator.Detectors(set)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(detectors))
	for i, d := range detectors {
		ids[i] = d.ID
	}
	if c.Detector != "" && !slices.Contains(ids, c.Detector) {
		return nil, fmt.Errorf("--detector %s: there is no such detector; there are %s", c.Detector, strings.Join(ids, ", "))
	}
	return config.Escalation.Detectors, nil
}

// dispatching returns the configured rules and how they dispatch findings.
func dispatching(c cli.Connection, r *cli.Call) (*rules.Set, *budget.Config, error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, nil, err
	}
	set, err := deployment.LoadRules(settings.Rules)
	if err != nil {
		return nil, nil, err
	}
	config, err := budget.LoadConfig(set)
	return set, config, err
}

// UntilTime parses a future time: a duration from now, or the time itself.
func UntilTime(text string, now time.Time) (time.Time, error) {
	until, err := time.Parse(time.RFC3339, text)
	if err != nil {
		var days int
		if n, scanErr := fmt.Sscanf(text+"\n", "%dd\n", &days); n == 1 && scanErr == nil {
			text = fmt.Sprintf("%dh", days*24)
		}
		length, err := time.ParseDuration(text)
		if err != nil {
			return until, fmt.Errorf("--until %s: must be 2h, 3d or a time such as 2026-01-31T12:00:00Z", text)
		}
		until = now.Add(length)
	}
	if !until.After(now) {
		return until, fmt.Errorf("--until %s is over already", text)
	}
	return until.UTC().Truncate(time.Second), nil
}
