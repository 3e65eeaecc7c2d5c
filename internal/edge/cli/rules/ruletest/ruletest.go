// Package ruletest runs the examples that users give with their own rules.
package ruletest

import (
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/userrules"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Result is the result of one example of a user's rule.
type Result struct {
	Rule   string
	Name   string
	Firing bool   // whether the rule should fire
	Line   int    // line in the rules file
	Failed string // why the example fails, "" if it passes
}

// Run runs the examples of every rule of the section `userrules` through ingest and evaluator, as a service
// would. A rule without both a firing and a silent example fails.
func Run(set *rules.Set) ([]Result, error) {
	config, err := userrules.Load(set)
	if err != nil {
		return nil, err
	}
	core, err := machines.New(machines.Options{Rules: set})
	if err != nil {
		return nil, err
	}
	var out []Result
	for i := range config.Detectors {
		r := &config.Detectors[i]
		out = append(out, testExamples(core, r, true, r.Examples.Firing)...)
		out = append(out, testExamples(core, r, false, r.Examples.Silent)...)
	}
	return out, nil
}

func testExamples(core *machines.Core, r *userrules.Rule, firing bool, list []userrules.Example) []Result {
	if len(list) == 0 {
		return []Result{{Rule: r.ID, Name: "no example", Firing: firing, Line: r.Line(), Failed: "give at least one, so that it is known to work"}}
	}
	var out []Result
	for _, e := range list {
		t := Result{Rule: r.ID, Name: e.Name, Firing: firing, Line: e.Line()}
		signals, err := playExample(core, r.ID, e)
		switch failure := failed(signals); {
		case err != nil:
			t.Failed = err.Error()
		case failure != "":
			t.Failed = failure
		default:
			t.Failed = judged(signals, firing)
		}
		out = append(out, t)
	}
	return out
}

// failed returns the reason of a signal that records a condition's failure.
func failed(signals []*sessionevents.Signal) string {
	for _, s := range signals {
		if strings.HasPrefix(s.Suppressed, userrules.Failed) {
			return s.Suppressed
		}
	}
	return ""
}

// judged returns how the signals differ from what the example expects, "" if they do not.
func judged(signals []*sessionevents.Signal, firing bool) string {
	suppressed := ""
	for _, s := range signals {
		switch {
		case s.Suppressed != "":
			suppressed = fmt.Sprintf("; turn %d was suppressed: %s", s.Turn, s.Suppressed)
		case !firing:
			return fmt.Sprintf("it fires in turn %d: %s", s.Turn, s.Message)
		default:
			return ""
		}
	}
	if firing {
		return "it does not fire" + suppressed
	}
	return ""
}

// playExample feeds an example's turns and returns the rule's signals.
func playExample(core *machines.Core, id string, e userrules.Example) ([]*sessionevents.Signal, error) {
	script, err := scenario.Parse(separated(e.Script.Text))
	if err != nil {
		return nil, fmt.Errorf("the script: %w", err)
	}
	chain := core.Chain()
	var out []*sessionevents.Signal
	for _, event := range scriptEvents(script) {
		if event, err = publish.Prepare(event); err != nil {
			return nil, err
		}
		for _, decided := range chain.Feed(event) {
			if s, ok := decided.Data.(*sessionevents.Signal); ok && decided.Type == sessionevents.TypeSignalDetected && s.Detector == id {
				out = append(out, s)
			}
		}
	}
	if len(chain.DeadLetters) > 0 {
		return nil, fmt.Errorf("the script: %s", chain.DeadLetters[0].Reason)
	}
	return out, nil
}

// separated adds the separators that a script without expectations leaves out.
func separated(text string) string {
	var out []string
	open := false
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		word, _, _ := strings.Cut(line, " ")
		starts := word == "turn" || word == "event"
		if starts && open {
			out = append(out, scenario.Separator, "")
		}
		switch {
		case starts:
			open = true
		case line == scenario.Separator:
			open = false
		}
		out = append(out, line)
	}
	if open {
		out = append(out, scenario.Separator)
	}
	return strings.Join(out, "\n") + "\n"
}

// scriptEvents returns a script's inputs as a publisher would send them, a minute apart unless they give a
// time.
func scriptEvents(s *scenario.Script) []events.Event {
	var out []events.Event
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := start
	add := func(typ events.Type, subject string, data any) {
		id := events.DerivedID("example", "/scaffoldwatch/rules", subject, len(out))
		at = at.Add(time.Minute)
		out = append(out, events.Event{ID: id, Source: "/scaffoldwatch/rules", Type: typ, Subject: subject, Time: at, Data: data})
	}
	if s.Opened != nil {
		opened := *s.Opened
		if opened.Session == "" {
			opened.Session = scenario.DefaultSession
		}
		add(sessionevents.TypeSessionOpened, opened.Session, &opened)
	}
	for _, step := range s.Steps {
		if step.At > 0 {
			at = start.Add(step.At)
		}
		switch {
		case step.Turn != nil:
			add(sessionevents.TypeTurnRaw, step.Turn.Session, step.Turn)
		default:
			add(step.Type, scenario.DefaultSession, step.Data)
		}
	}
	return out
}
