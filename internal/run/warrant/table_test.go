package warrant

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	failures = runevents.TriggerAgentFailures
	suite    = runevents.TriggerBrokenSuite
	spent    = runevents.TriggerBudget95
)

// fact is an event of a story; its id is "e" and its place, from 1 on.
type fact func(*events.Event)

func of(subject string, typ events.Type, data any) fact {
	return func(e *events.Event) { e.Subject, e.Type, e.Data = subject, typ, data }
}

func (f fact) by(role events.Role) fact {
	return func(e *events.Event) {
		f(e)
		e.Credential = role
	}
}

func hard(trigger runevents.BreakTrigger) fact {
	return of("r", runevents.TypeWiggumBreak, &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: trigger, Scope: runevents.ScopeRun})
}

func soft(trigger runevents.BreakTrigger) fact {
	return of("r", runevents.TypeWiggumBreak, &runevents.WiggumBreak{Kind: runevents.BreakSoft, Trigger: trigger, Scope: runevents.ScopeRun})
}

func upgrades(id string, trigger runevents.BreakTrigger) fact {
	return of("r", runevents.TypeWiggumBreak, &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: trigger, Scope: runevents.ScopeRun, Upgrades: id})
}

func ofSession(id string) fact {
	return of(id, runevents.TypeWiggumBreak, &runevents.WiggumBreak{Kind: runevents.BreakSoft, Trigger: runevents.TriggerStuckLoop, Scope: runevents.ScopeSession, Session: id})
}

func control(subject string, state runevents.ControlState, broken string, ended bool) fact {
	return of(subject, runevents.TypeControlChanged, &runevents.ControlChanged{State: state, Break: broken, Ended: ended, Who: "ann", Why: "seen"})
}

func runs(subject string) fact { return control(subject, runevents.ControlRunning, "", false) }

func ends(outcome string) fact {
	return of("r", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: outcome}).by(events.RolePublisher)
}

func note(broken string, trigger runevents.BreakTrigger) fact {
	return of("r", runevents.TypeBreakNoted, &runevents.BreakNoted{Break: broken, Trigger: trigger, Reason: "Again."})
}

func ignores(broken string) fact {
	return of("r", runevents.TypeHaltIgnored, &runevents.HaltIgnored{Break: broken})
}

func closes(id string) fact {
	return of(id, sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: id})
}

func chooses(option int) fact {
	return of("r", runevents.TypeRecoverySelected, &runevents.RecoverySelected{Option: option, By: "ann", Why: "w"}).by(events.RoleOperator)
}

func commits(data runevents.GitCommit) fact {
	return of("r", runevents.TypeGitCommit, &data).by(events.RoleInfra)
}

// told plays a story and returns the state it leads to.
func told(c *Config, story []fact) *State {
	var s State
	for i, f := range story {
		e := events.Event{ID: fmt.Sprint("e", i+1), PartitionKey: "r", CausationID: fmt.Sprint("c", i+1), Time: time.Unix(int64(i), 0)}
		f(&e)
		c.Apply(&s, []events.Event{e})
	}
	return &s
}

// RW-32, RW-33: what became of a break says whether it was warranted. The verdict is
// of the first break of each story, with its evidence.
func TestVerdicts(t *testing.T) {
	revert := commits(runevents.GitCommit{Purpose: "revert"})
	for name, test := range map[string]struct {
		story []fact
		want  string
	}{
		"nobody did anything":        {[]fact{hard(failures)}, "too_early stands []"},
		"resumed":                    {[]fact{hard(failures), runs("r")}, "too_early goes_on [c2]"},
		"another subject runs":       {[]fact{hard(failures), runs("s")}, "too_early stands []"},
		"the key of an ended run":    {[]fact{hard(failures), control("r", runevents.ControlRunning, "", true)}, "too_early stands []"},
		"it runs with a break":       {[]fact{hard(failures), control("r", runevents.ControlRunning, "e1", false)}, "too_early stands []"},
		"it drains":                  {[]fact{hard(failures), control("r", runevents.ControlDraining, "", false)}, "too_early stands []"},
		"noted while open":           {[]fact{hard(failures), note("e1", failures)}, "warranted same_trigger_while_it_stood [e2]"},
		"noted twice":                {[]fact{hard(failures), note("e1", failures), note("e1", failures)}, "warranted same_trigger_while_it_stood [e2]"},
		"another trigger noted":      {[]fact{hard(failures), note("e1", spent)}, "too_early stands []"},
		"noted on another":           {[]fact{hard(failures), note("e9", failures)}, "too_early stands []"},
		"the same again":             {[]fact{hard(failures), runs("r"), hard(failures)}, "warranted same_trigger_again [c2 e3]"},
		"the same of a session":      {[]fact{hard(runevents.TriggerStuckLoop), runs("r"), ofSession("s")}, "too_early goes_on [c2]"},
		"the same before the resume": {[]fact{hard(failures), hard(failures)}, "too_early stands []"},
		"another after the resume":   {[]fact{hard(failures), runs("r"), hard(spent)}, "unclear broke_otherwise [c2 e3]"},
		"another, then success":      {[]fact{hard(failures), runs("r"), hard(spent), ends("success")}, "unclear broke_otherwise [c2 e3]"},
		"another, then failure":      {[]fact{hard(failures), runs("r"), hard(spent), ends("failure")}, "warranted failed_after_resume [c2 e4]"},
		"reverted":                   {[]fact{hard(suite), revert}, "warranted work_taken_back [e2]"},
		"reverted by its message":    {[]fact{hard(suite), commits(runevents.GitCommit{Message: "Revert x"})}, "warranted work_taken_back [e2]"},
		"reverted twice":             {[]fact{hard(suite), revert, revert}, "warranted work_taken_back [e2]"},
		"a revert that was blocked":  {[]fact{hard(suite), commits(runevents.GitCommit{Purpose: "revert", Blocked: true})}, "too_early stands []"},
		"another commit":             {[]fact{hard(suite), commits(runevents.GitCommit{Purpose: "fix", Message: "Do not revert"})}, "too_early stands []"},
		"a revert after the resume":  {[]fact{hard(suite), runs("r"), revert}, "too_early goes_on [c2]"},
		"a revert of another break":  {[]fact{hard(failures), revert}, "too_early stands []"},
		"done again":                 {[]fact{hard(failures), chooses(1)}, "warranted work_redone [e2]"},
		"chosen twice":               {[]fact{hard(failures), chooses(1), chooses(2)}, "warranted work_redone [e2]"},
		"accepted":                   {[]fact{hard(failures), chooses(4), runs("r"), ends("success")}, "unclear accepted_as_it_is [e2 e4]"},
		"chosen after the resume":    {[]fact{hard(failures), runs("r"), chooses(1)}, "too_early goes_on [c2]"},
		"chosen for a session":       {[]fact{ofSession("s"), chooses(1)}, "too_early stands []"},
		"failed after the resume":    {[]fact{hard(failures), runs("r"), ends("failure")}, "warranted failed_after_resume [c2 e3]"},
		"success after the resume":   {[]fact{hard(failures), runs("r"), ends("success")}, "not_warranted succeeded_after_resume [c2 e3]"},
		"a boundary moved":           {[]fact{soft(spent), runs("r"), ends("success")}, "unclear boundary_moved [c2 e3]"},
		"a boundary, then failure":   {[]fact{soft(spent), runs("r"), ends("failure")}, "warranted failed_after_resume [c2 e3]"},
		"ended without a resume":     {[]fact{hard(failures), ends("failure")}, "warranted not_taken_up [e2]"},
		"success without a resume":   {[]fact{hard(failures), ends("success")}, "not_warranted succeeded_without_resume [e2]"},
		"and the halt was ignored":   {[]fact{hard(failures), ignores("e1"), ignores("e9"), ends("success")}, "not_warranted succeeded_without_resume [e2 e4]"},
		"a soft break, success":      {[]fact{soft(failures), ends("success")}, "unclear finished_what_was_begun [e2]"},
		"resumed after its end":      {[]fact{hard(failures), ends("success"), runs("r")}, "too_early goes_on [c3]"},
		"it continues after its end": {[]fact{hard(failures), ends("failure"), of("r", runevents.TypeRunStarted, &runevents.RunStarted{}).by(events.RolePublisher)}, "too_early stands []"},
		"an operator resumes it":     {[]fact{hard(failures), ends("failure"), of("r", runevents.TypeRunResumed, &runevents.RunResumed{}).by(events.RoleOperator)}, "too_early stands []"},
		"upgraded":                   {[]fact{soft(spent), upgrades("e1", failures), runs("r"), ends("failure")}, "warranted upgraded [e2 c3 e4]"},
		"not upgraded by another":    {[]fact{soft(spent), upgrades("e9", failures), ends("success")}, "unclear finished_what_was_begun [e3]"},
		"a session closed":           {[]fact{ofSession("s"), closes("s")}, "warranted not_taken_up [e2]"},
		"another session closed":     {[]fact{ofSession("s"), closes("s2")}, "too_early stands []"},
		"closed by its subject":      {[]fact{ofSession("s"), of("s", sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{})}, "warranted not_taken_up [e2]"},
		"a session went on quietly":  {[]fact{ofSession("s"), runs("s"), closes("s")}, "not_warranted quiet_after_resume [c2 e3]"},
		"a run's session closed":     {[]fact{hard(failures), of("r", sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "r"})}, "too_early stands []"},
	} {
		t.Run(name, func(t *testing.T) {
			s := told(config(t), test.story)
			said := s.Breaks[0].Said.Warrant
			require.Equal(t, test.want, fmt.Sprintf("%s %s %v", said.Verdict, said.Basis, said.Evidence))
			require.NotEmpty(t, said.Why)
		})
	}
}

// The reasons name the outcome, the trigger and the option.
func TestReasonsOfVerdicts(t *testing.T) {
	for want, story := range map[string][]fact{
		"It was resumed and the run ended as failure.":                                  {hard(failures), runs("r"), ends("failure")},
		"Nobody resumed it; the run ended as cancelled.":                                {hard(failures), ends("cancelled")},
		"It was resumed and broke for another reason: budget_95.":                       {hard(failures), runs("r"), hard(spent)},
		"A person chose recovery option 1: the work is done again or investigated.":     {hard(failures), chooses(1)},
		"The same trigger came again while it was open: Again.":                         {hard(failures), note("e1", failures)},
		"The hard break agent_failures took its place: Nobody has resumed or ended it.": {soft(spent), upgrades("e1", failures)},
	} {
		require.Equal(t, want, told(config(t), story).Breaks[0].Said.Warrant.Why)
	}
}

// RW-34: a break that another replaced is not resumed by itself, one resume is one
// moment for all that are open, and the first resume counts.
func TestResumesOfBreaks(t *testing.T) {
	s := told(config(t), []fact{soft(spent), upgrades("e1", failures), hard(suite), runs("r"), runs("r")})
	require.Nil(t, s.Breaks[0].Resumed)
	require.Equal(t, s.Breaks[1].ResumedAt, s.Breaks[2].ResumedAt)
	require.Equal(t, &runevents.Resume{Event: "c4", Time: time.Unix(3, 0).UTC(), By: "ann", Why: "seen"}, s.Breaks[1].Resumed)
	require.Equal(t, s.Breaks[1].Resumed, s.Breaks[1].Said.Resumed)
	require.Equal(t, &runevents.Recovery{Event: "e2", Option: 4, By: "ann", Why: "w"}, told(config(t), []fact{hard(failures), chooses(4)}).Breaks[0].Said.Recovery)
}

// What is kept is bounded: breaks, the evidence of one, and characters of a text.
func TestWarrantsAreBounded(t *testing.T) {
	c := config(t)
	c.Kept = Kept{Breaks: 2, Text: 20}
	s := told(c, []fact{hard(failures), hard(suite), hard(spent)})
	require.Len(t, s.Breaks, 2)
	var many []fact
	for range maxIgnored + 5 {
		many = append(many, ignores("e1"))
	}
	require.Len(t, told(c, append([]fact{hard(failures)}, many...)).Breaks[0].Ignored, maxIgnored)
	for length, want := range map[int]string{20: strings.Repeat("é", 20), 21: strings.Repeat("é", 20) + "…"} {
		s := told(c, []fact{hard(failures), of("r", runevents.TypeControlChanged, &runevents.ControlChanged{State: runevents.ControlRunning, Who: strings.Repeat("é", length)})})
		require.Equal(t, want, s.Breaks[0].Resumed.By)
	}
}

// What is said of a break is emitted again where its evidence or outcome changed.
func TestWhatIsSaidAgain(t *testing.T) {
	c := config(t)
	p := story{t: t, c: c}
	p.broke(failures)
	require.Empty(t, p.apply(runevents.TypeHaltIgnored, "r", "", &runevents.HaltIgnored{Break: "e1"}), "nothing about it changed")
	require.Equal(t, []string{"e1 succeeded_without_resume"}, p.completed("success"))
	require.Equal(t, []string{"e1 succeeded_without_resume"}, p.apply(runevents.TypeHaltIgnored, "r", "", &runevents.HaltIgnored{Break: "e1"}), "more evidence")
	require.Equal(t, []string{"e1 stands"}, p.apply(runevents.TypeRunStarted, "r", "", &runevents.RunStarted{}), "its end is taken back")
}
