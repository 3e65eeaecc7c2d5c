package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CodeDowngradeIgnored is the code of a reviewer that runs on a large model after the
// threshold that downgrades models (RW-21).
const CodeDowngradeIgnored = "DOWNGRADE-IGNORED"

// Models configures which reviewers' models count as large (RW-21). Words are parts of a
// model's name, separated by characters other than letters and digits.
type Models struct {
	Reviewers []string `yaml:"reviewers"`
	Large     []string `yaml:"large"`
	Small     []string `yaml:"small"`
}

// large reports whether a model's name marks it as large.
func (m *Models) large(name string) bool {
	words := wordsOf(name)
	in := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	return in(m.Large) && !in(m.Small)
}

// reviews reports whether a role or archetype is a reviewer's.
func (m *Models) reviews(names ...string) bool {
	for _, name := range names {
		if slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(m.Reviewers, word) }) {
			return true
		}
	}
	return false
}

func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// reviewerModels is RW-21: the request made at the threshold is verified afterwards. A
// reviewer on a model that is large by its name, or that reviewers had before the
// threshold, is reported once per model.
var reviewerModels = Rule{
	ID: "RW-21", On: run.Types(runevents.TypeAgentSpawned, sessionevents.TypeSessionOpened,
		sessionevents.TypeTurnEvaluated),
	Run: func(c *Context) {
		model, agent := c.reviewerModel()
		if model == "" {
			return
		}
		s := &c.state.Spending
		if !c.downgraded() {
			if !slices.Contains(s.Before, model) && len(s.Before) < c.config.Kept.Agents {
				s.Before = append(s.Before, model)
			}
			return
		}
		before := slices.Contains(s.Before, model)
		if !before && !c.config.Models.large(model) || slices.Contains(s.Large,
			model) || len(s.Large) >= c.config.Kept.Agents {
			return
		}
		s.Large = append(s.Large, model)
		what := fmt.Sprintf("%s spent asks for smaller models; reviewer %s still runs on %s.", s, named(agent),
			quote.Name(model))
		if before {
			what = fmt.Sprintf("%s spent asks for smaller models; reviewer %s runs on %s as before.", s,
				named(agent), quote.Name(model))
		}
		c.Warning(runevents.WarningIssued{
			Code: CodeDowngradeIgnored, Rule: "RW-21", What: what, AgentID: agent,
			Evidence: []runevents.Reference{{Event: c.Event.ID}, {Event: s.Event}},
		})
	},
}

// reviewerModel returns the model of a reviewer that the event shows, "" if none.
func (c *Context) reviewerModel() (model, agent string) {
	of := func(a *sessionevents.Agent) (string, string) {
		if a == nil || !c.config.Models.reviews(a.Archetype, a.ID) {
			return "", ""
		}
		return strings.ToLower(strings.TrimSpace(a.Model)), a.ID
	}
	switch d := c.Event.Data.(type) {
	case *runevents.AgentSpawned:
		if c.config.Models.reviews(d.Archetype, d.Role) {
			return strings.ToLower(strings.TrimSpace(d.ModelFamily)), d.AgentID
		}
	case *sessionevents.SessionOpened:
		return of(d.Agent)
	case *sessionevents.TurnEvaluated:
		if d.Observed != nil {
			return of(d.Observed.Agent)
		}
	}
	return "", ""
}

// downgraded reports whether a threshold that downgrades models was crossed.
func (c *Context) downgraded() bool {
	return slices.ContainsFunc(c.config.Budget, func(t Threshold) bool {
		return t.Action == runevents.BudgetDowngradeModels && slices.Contains(c.state.Spending.Passed, t.Percent)
	})
}
