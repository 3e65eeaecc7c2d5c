package policy

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Suite is the last merge and whether the suite has run since (RW-30).
type Suite struct {
	Merge    string `json:"merge,omitempty"` // sha
	Event    string `json:"event,omitempty"` // merge.completed
	Untested bool   `json:"untested,omitempty"`
}

// scoped tests cover only part of the code, so they show nothing about a merge.
const scoped = "scoped"

// brokenSuite is RW-30: the suite fails after a merge, which must be reverted.
var brokenSuite = Rule{ID: "RW-30", On: run.Types(runevents.TypeMergeCompleted, runevents.TypeTestCompleted, runevents.TypeGitCommit), Run: func(c *Context) {
	s := &c.state.Suite
	switch data := c.Event.Data.(type) {
	case *runevents.MergeCompleted:
		*s = Suite{Merge: data.SHA, Event: c.Event.ID, Untested: true}
	case *runevents.TestCompleted:
		if !s.tests(data) {
			return
		}
		s.Untested = false
		if !data.Passed {
			c.revert(s, data)
		}
	case *runevents.GitCommit:
		c.reverted(data)
	}
}}

// tests reports whether a test run covers the merge: as its publisher states, otherwise
// the first run of the whole suite since.
func (s *Suite) tests(data *runevents.TestCompleted) bool {
	if data.AfterMerge != nil {
		return *data.AfterMerge
	}
	return s.Untested && data.Scope != scoped
}

func (c *Context) revert(s *Suite, data *runevents.TestCompleted) {
	sha, evidence := s.Merge, []string{c.Event.ID}
	if s.Event != "" {
		evidence = []string{s.Event, c.Event.ID}
	}
	if sha == "" {
		sha = data.SHA
	}
	suite := "The test suite"
	if data.Suite != "" {
		suite += " " + quote.Text(data.Suite)
	}
	c.RequestBreak(runevents.WiggumBreak{
		Kind: runevents.BreakHard, Trigger: runevents.TriggerBrokenSuite, WIPAction: runevents.WIPRevert, RevertSHA: sha, Evidence: evidence,
		Reason: fmt.Sprintf("%s fails after merge %s.", suite, named(sha)),
	})
}

// reverted records that infrastructure saw the revert (RW-30).
func (c *Context) reverted(data *runevents.GitCommit) {
	open := c.state.Control.Open
	if open == nil || open.Trigger != runevents.TriggerBrokenSuite || c.Event.Credential != events.RoleInfra || data.Blocked {
		return
	}
	if data.Purpose == "revert" || isRevert(data.Message, open.Revert) {
		open.Reverted = true
	}
}

// isRevert reads a message as git writes it: a message that names another commit reverts
// that one.
func isRevert(message, sha string) bool {
	if !strings.HasPrefix(strings.ToLower(message), "revert") {
		return false
	}
	_, rest, names := strings.Cut(message, "This reverts commit ")
	named, _, _ := strings.Cut(strings.TrimSpace(rest), ".")
	return !names || sha == "" || strings.HasPrefix(named, sha) || strings.HasPrefix(sha, named)
}

// unhealed is RW-30: a halt that is acknowledged although the broken merge was
// not reverted is escalated to a person, once.
func (r report) unhealed(open *settle.Open) {
	if open == nil || open.Trigger != runevents.TriggerBrokenSuite || open.Reverted || open.Unhealed {
		return
	}
	open.Unhealed = true
	r.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerPolicy, Issue: "broken_suite/not_reverted", To: runevents.RecipientUser,
		Text: fmt.Sprintf("The halt was acknowledged, but merge %s, which broke the test suite, has not been reverted.", named(open.Revert)),
	})
}
