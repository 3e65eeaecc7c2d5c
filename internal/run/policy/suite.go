package policy

import (
	"fmt"
	"strconv"
	"strings"

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

// scoped tests are of a part of the code: they say nothing of a merge.
const scoped = "scoped"

// brokenSuite is RW-30: the suite fails after a merge, which is to be reverted.
func (f *fold) brokenSuite() {
	s := &f.state.Suite
	switch data := f.in.Event.Data.(type) {
	case *runevents.MergeCompleted:
		*s = Suite{Merge: data.SHA, Event: f.in.Event.ID, Untested: true}
	case *runevents.TestCompleted:
		if !s.tests(data) {
			return
		}
		s.Untested = false
		if !data.Passed {
			f.revert(s, data)
		}
	case *runevents.GitCommit:
		f.reverted(data)
	}
}

// tests says that a test run is of the merge: as the publisher says, else the
// first of the whole suite since.
func (s *Suite) tests(data *runevents.TestCompleted) bool {
	if data.AfterMerge != nil {
		return *data.AfterMerge
	}
	return s.Untested && data.Scope != scoped
}

func (f *fold) revert(s *Suite, data *runevents.TestCompleted) {
	sha, evidence := s.Merge, []string{f.in.Event.ID}
	if s.Event != "" {
		evidence = []string{s.Event, f.in.Event.ID}
	}
	if sha == "" {
		sha = data.SHA
	}
	suite := "The test suite"
	if data.Suite != "" {
		suite += " " + strconv.Quote(data.Suite)
	}
	f.v.Break(runevents.WiggumBreak{
		Kind: runevents.BreakHard, Trigger: runevents.TriggerBrokenSuite, WIPAction: runevents.WIPRevert, RevertSHA: sha, Evidence: evidence,
		Reason: fmt.Sprintf("%s fails after merge %s.", suite, named(sha)),
	})
}

// reverted notes that infrastructure saw the revert (RW-30).
func (f *fold) reverted(data *runevents.GitCommit) {
	open := f.state.Control.Open
	if open == nil || open.Trigger != runevents.TriggerBrokenSuite || f.in.Event.Credential != events.RoleInfra || data.Blocked {
		return
	}
	if data.Purpose == "revert" || isRevert(data.Message, open.Revert) {
		open.Reverted = true
	}
}

// isRevert reads the message that git writes; one that names another commit
// reverts that one.
func isRevert(message, sha string) bool {
	if !strings.HasPrefix(strings.ToLower(message), "revert") {
		return false
	}
	_, rest, names := strings.Cut(message, "This reverts commit ")
	named, _, _ := strings.Cut(strings.TrimSpace(rest), ".")
	return !names || sha == "" || strings.HasPrefix(named, sha) || strings.HasPrefix(sha, named)
}

// unhealed is RW-30: a halt that is acknowledged although the broken merge was
// not reverted is a person's to look at, once.
func (f *fold) unhealed(open *Open) {
	if open == nil || open.Trigger != runevents.TriggerBrokenSuite || open.Reverted || open.Unhealed {
		return
	}
	open.Unhealed = true
	f.v.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerPolicy, Issue: "broken_suite/not_reverted", To: toUser,
		Text: fmt.Sprintf("The halt was acknowledged, but merge %s, which broke the test suite, has not been reverted.", named(open.Revert)),
	})
}
