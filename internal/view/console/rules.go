package console

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Rules are the rules in force, as the page shows them.
type Rules struct {
	File    string // the user's file, "" if the shipped rules are in force
	Version string
	Config  string // the hash under which decisions are recorded
	Budget  int    // interrupts that a session may have at once
	// Changed are the settings that differ from the shipped ones; Settings are the values in force and as
	// shipped, by path.
	Changed           []rules.Difference
	Settings, Shipped map[string]string
	Detectors         []Watcher
}

// Watcher is a detector in a list.
type Watcher struct{ ID, Title, Mode string }

// RulesModel is what the view of the rules shows (CO-14).
type RulesModel struct {
	Place
	Rules Rules
	// Backtest is the latest comparison of the shipped rules with these, nil if there is none; Command
	// makes one.
	Backtest *backtestreport.Model
	Command  string
	Report   fleetreport.Model // for the period of the figures
}

// thresholds are the settings that people ask about, in words.
var thresholds = []struct{ path, name string }{
	{"dispatch.mode", "What is found is said (on), or only reported (observe)"},
	{"dispatch.thresholds.fire", "Said at once from this urgency on"},
	{"dispatch.thresholds.queue", "Waits for a pause in the work from this urgency on; below it is only logged"},
	{"dispatch.budget", "Words at once that a session can get"},
	{"dispatch.cooldown_turns", "Turns from one word at once to the next"},
	{"dispatch.queue.max_delivered", "Words at pauses a session, for each class of detectors"},
	{"dispatch.queue.max_age_turns", "Turns after which what waits is too old"},
	{"dispatch.interrupt.max_words", "Words in a message, at most"},
	{"dispatch.heed_turns", "Turns in which an agent can react before a word counts as ignored"},
	{
		"dispatch.escalation.confidence_above",
		"A credential or an injection is said whatever the budget, above this confidence",
	},
}

// ThresholdSections returns the sections whose settings the view needs.
func ThresholdSections() []string { return []string{"dispatch"} }

// settingRow is one setting in a table.
type settingRow struct{ Name, Path, Now, Shipped, From, Verdict string }

// watcherRow is one detector in a table.
type watcherRow struct{ ID, Title, Mode, Told, Dismissed string }

// RenderRules writes the view of the rules in force.
func RenderRules(w io.Writer, m RulesModel) error {
	changed := m.changed()
	heading := "The shipped rules are in force."
	if n := len(changed); n > 0 {
		heading = page.Plural(n, "setting differs", "settings differ") + " from the shipped rules."
	}
	view := struct {
		Heading             string
		Facts               []string
		Changed, Thresholds []settingRow
		Result, Command     string
		Verdicts            []string
		Detectors           []watcherRow
	}{
		Heading: heading, Facts: m.facts(), Changed: changed, Thresholds: m.inForce(), Result: m.result(), Detectors: m.watchers(),
	}
	if len(changed) > 0 {
		view.Command, view.Verdicts = page.Plain(m.Command), m.verdicts()
	}
	return m.render(w, shell{view: viewRules, title: viewRules}, "rules.gohtml", view)
}

func (m *RulesModel) facts() []string {
	list := []string{"rules " + page.Plain(m.Rules.Version)}
	if m.Rules.File != "" {
		list = append(list, page.Plain(m.Rules.File))
	}
	return list
}

// from returns where the value of a setting comes from.
func (m *RulesModel) from(path string) string {
	if m.Rules.Settings[path] == m.Rules.Shipped[path] {
		return "shipped"
	}
	return "changed"
}

func (m *RulesModel) inForce() (list []settingRow) {
	for _, t := range thresholds {
		now, known := m.Rules.Settings[t.path]
		if !known {
			continue
		}
		one := settingRow{Name: t.name, Path: t.path, Now: cutLine(now, objectLimit), From: m.from(t.path)}
		if one.From == "changed" {
			one.Shipped = cutLine(m.Rules.Shipped[t.path], objectLimit)
		}
		list = append(list, one)
	}
	return list
}

// maxSettings limits how many changed settings are listed.
const maxSettings = 100

func (m *RulesModel) changed() (list []settingRow) {
	for i, d := range m.Rules.Changed {
		if i == maxSettings {
			break
		}
		one := settingRow{
			Path:    page.Plain(d.Path),
			Now:     cutLine(d.Is, objectLimit),
			Shipped: cutLine(d.Was, objectLimit),
			Verdict: m.verdict(d),
		}
		for _, t := range thresholds {
			if t.path == d.Path {
				one.Name = t.name
			}
		}
		list = append(list, one)
	}
	return list
}

// tried reports whether the comparison is between the shipped rules and those in force.
func (m *RulesModel) tried() bool {
	return m.Backtest != nil && m.Backtest.Given.Hash == m.Rules.Config &&
		slices.Equal(m.Backtest.Settings, m.Rules.Changed)
}

// verdict describes the effect of a changed setting on the compared sessions: all differences if it is the
// only change, otherwise those of the detector that the setting belongs to.
func (m *RulesModel) verdict(d rules.Difference) string {
	if !m.tried() {
		return ""
	}
	if len(m.Rules.Changed) == 1 {
		return m.result()
	}
	for _, one := range m.Backtest.Detectors {
		if slices.Contains(strings.Split(d.Path, "."), one.ID) {
			return page.Plain(one.Verdict)
		}
	}
	return "together with the others: see below"
}

// result summarises the comparison in one sentence.
func (m *RulesModel) result() string {
	if !m.tried() {
		return ""
	}
	b := m.Backtest
	if b.Interrupts.Present == b.Interrupts.Given && b.Changed == 0 {
		return fmt.Sprintf(
			"No difference in %s of %s.",
			page.Plural(b.Turns, "turn"),
			page.Plural(b.Sessions, "session"),
		)
	}
	return fmt.Sprintf("%s with the shipped rules, %s with these, in %s; %s differ.",
		page.Plural(b.Interrupts.Present, "word to agents", "words to agents"), count(b.Interrupts.Given),
		page.Plural(b.Sessions, "session"), page.Plural(b.Changed, "session"))
}

func (m *RulesModel) verdicts() (list []string) {
	if !m.tried() {
		return nil
	}
	for _, d := range m.Backtest.Detectors {
		if d.Interrupts.Present != d.Interrupts.Given || d.Moved > 0 {
			list = append(list, page.Plain(d.Verdict))
		}
	}
	return list
}

func (m *RulesModel) watchers() (list []watcherRow) {
	for _, d := range m.Rules.Detectors {
		one := watcherRow{ID: page.Plain(d.ID), Title: page.Plain(d.Title), Mode: page.Plain(d.Mode)}
		for _, t := range m.Report.Detectors {
			if t.Detector != d.ID || t.Interrupts == 0 {
				continue
			}
			one.Told = count(t.Interrupts)
			if t.Dismissed > 0 {
				one.Dismissed = count(t.Dismissed)
			}
		}
		list = append(list, one)
	}
	return list
}
