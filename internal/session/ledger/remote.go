package ledger

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RemoteRunner stands for a runner where an answer of continuous integration decides.
const RemoteRunner = "continuous integration"

const remoteFailed = "%s of turn %d shows a check that failed."

// Remote is the session's latest question how continuous integration went.
type Remote struct {
	At      Place                     `json:"a"`
	Result  sessionevents.CheckResult `json:"r"` // passed, failed or unknown
	Command string                    `json:"c"` // shortened
}

// remoteRules configures how such questions and their answers are recognised (rules/ledger.yaml).
type remoteRules struct {
	Asks    *pattern.Regexp `yaml:"asks"`
	Failed  *pattern.Regexp `yaml:"failed"`
	Pending *pattern.Regexp `yaml:"pending"`
	Passed  *pattern.Regexp `yaml:"passed"`
	Ready   *pattern.Regexp `yaml:"ready"`
}

// remote notes what a command says of continuous integration.
func (d checkReader) remote(s *sessionevents.Segment, at Place) {
	if !d.c.Remote.Asks.MatchString(s.Tool.Command) || s.Result == nil {
		return
	}
	output := s.Result.Head + "\n" + s.Result.Tail
	r := &Remote{At: at, Result: sessionevents.CheckUnknown, Command: d.shorten(s.Tool.Command)}
	switch {
	case d.c.Remote.Failed.MatchString(output):
		r.Result = sessionevents.CheckFailed
	case !d.c.Remote.Pending.MatchString(output) && d.c.Remote.Passed.MatchString(output) && !d.failed(s):
		r.Result = sessionevents.CheckPassed
	}
	d.l.Remote = r
}

// remoteJudge judges claims by what continuous integration says of the work, which runs of this machine neither
// prove nor refute (JD-13).
type remoteJudge struct{ *evidence }

// judge decides a claim that continuous integration passes.
func (j remoteJudge) judge(c claimView) {
	r := j.current()
	if r == nil {
		c.lacks(sessionevents.NotCheckable, "", "What continuous integration says of the latest work is not in this session.")
		return
	}
	c.By = r.run()
	switch r.Result {
	case sessionevents.CheckFailed:
		c.lacks(sessionevents.Contradicted, GapFailed, remoteFailed, quoted(r.Command), r.At.Turn)
	case sessionevents.CheckPassed:
		c.lacks(sessionevents.Proven, "", "%s of turn %d shows that it passed.", quoted(r.Command), r.At.Turn)
	default:
		c.lacks(sessionevents.NotCheckable, "", "What %s of turn %d came to is not known.", quoted(r.Command), r.At.Turn)
	}
}

// forbids judges a claim that the work is ready, and reports whether it decided: what readiness takes is a
// reading, so that a check that failed refutes nothing (JD-2).
func (j remoteJudge) forbids(c claimView) bool {
	r := j.current()
	if r == nil || r.Result != sessionevents.CheckFailed || !j.c.Remote.Ready.MatchString(c.Text) ||
		j.out.Admits || j.out.Hedged {
		return false
	}
	c.By = r.run()
	c.lacks(sessionevents.Unproven, GapFailed, remoteFailed, quoted(r.Command), r.At.Turn)
	return true
}

// current returns the latest answer, unless files changed or were pushed since: it is then about older work.
func (j remoteJudge) current() *Remote {
	r := j.l.Remote
	if r == nil {
		return nil
	}
	changed, _ := j.l.Changed(Place{})
	pushed := j.l.latest(sessionevents.ClaimPushed)
	if changed.After(r.At) || pushed != nil && pushed.At.After(r.At) {
		return nil
	}
	return r
}

func (r *Remote) run() *sessionevents.LedgerRun {
	check := sessionevents.Check{Kind: sessionevents.CheckRun, Runner: RemoteRunner, Result: r.Result}
	return &sessionevents.LedgerRun{Check: check, Turn: r.At.Turn, Segment: r.At.Segment, Command: r.Command}
}
