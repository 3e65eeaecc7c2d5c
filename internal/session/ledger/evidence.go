package ledger

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/claim"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Gaps name what a claim lacks.
const (
	GapNever     = "never"        // no check of the kind ever ran
	GapStale     = "stale"        // no check of the kind ran since the last change
	GapFailed    = "failed"       // the latest run, or the act itself, failed
	GapNothing   = "nothing"      // the latest run ran no test
	GapCut       = "cut"          // the relevant output was cut off
	GapNarrow    = "narrow"       // the run covers only a part
	GapSuite     = "suite"        // a changed suite that ordinary runs leave out
	GapLint      = "lint"         // only linters or a build ran
	GapTrouble   = "trouble"      // an output reports a problem
	GapCause     = "cause"        // nothing reproduced the failure
	GapExcuse    = "excuse"       // nothing ran on the unchanged code
	GapReproduce = "reproduce"    // the reported fault was never seen failing
	GapUnchanged = "unchanged"    // … and nothing changed since it was reported
	GapUnwritten = "unwritten"    // a promised file was not written
	GapIdle      = "idle"         // nothing was done for it
	GapOwn       = "own"          // only the session's own scripts ran
	GapRequest   = "request"      // no request was sent to the running program
	GapUnmade    = "unmade"       // what is claimed as created does not exist
	GapUntried   = "untried"      // no command performs what is claimed
	GapAbsent    = "absent"       // the workspace, or Git, contradicts it
	GapUnused    = "unused"       // nothing calls or imports what is claimed to be in use
	GapIgnored   = "ignored"      // a request that is not mentioned anywhere
	GapCount     = "count"        // the run shows another number
	GapSkipped   = "skipped"      // most of the tests were skipped
	GapCached    = "cached"       // the run came from a cache that ignores what changed
	GapOnce      = "intermittent" // an intermittent fault, and a single run
)

var behaviour = []sessionevents.MutationKind{sessionevents.MutationCode, sessionevents.MutationTests, sessionevents.MutationSettings}

// evidence is the basis for judging the claims of a turn: the ledger, as far as the turn
// has been read.
type evidence struct {
	c        *Config
	t        *sessionevents.TurnSegmented
	registry *registry.Registry
	out      *Turn
	l        *Ledger
	// qualified is set once the primary's qualifications of its claims have been read.
	qualified bool
}

// claimView is a claim being judged, with what was read from it.
type claimView struct {
	*sessionevents.Claim
	scope claim.Scope
	names []string // code spans and files that it names
	act   *Act     // the deciding act, if any
}

// judge sets the verdict on a claim, by what precedes it (PD-2, JD-13).
func (e *evidence) judge(c *sessionevents.Claim, scope claim.Scope) {
	e.qualify()
	v := claimView{Claim: c, scope: scope, names: scope.Names}
	if o := e.observation(v); o != nil && (observedJudge{e, o}).judge(v) {
		return
	}
	e.decide(v)
	e.unread(v)
}

// unread withdraws a verdict that rests on something missing if calls or results could
// not be read, since they may contain it (IN-1).
func (e *evidence) unread(v claimView) {
	missing := v.Verdict == sessionevents.Unproven || v.Verdict == sessionevents.Contradicted
	if at := e.l.Unread; missing && !at.Zero() && (v.By == nil || at.Turn >= v.By.Turn) {
		v.lacks(sessionevents.NotCheckable, "", "Calls or results of turn %d could not be read; what is missing "+
			"may be among them.", at.Turn)
	}
}

// decide sets the verdict on a claim by what the session did.
func (e *evidence) decide(v claimView) {
	c := v.Claim
	switch remote := (remoteJudge{e}); {
	case v.scope.Remote:
		remote.judge(v)
		return
	case c.Kind == sessionevents.ClaimDone && remote.forbids(v):
		return
	}
	switch c.Kind {
	case sessionevents.ClaimTests, sessionevents.ClaimBuild, sessionevents.ClaimLint:
		runJudge{e}.judge(v)
	case sessionevents.ClaimWorks, sessionevents.ClaimDone:
		workJudge{e}.judge(v)
	case sessionevents.ClaimDeployed:
		if a := e.done(v); a != nil {
			actJudge{e}.act(v)
			return
		}
		workJudge{e}.judge(v)
	case sessionevents.ClaimCause:
		causeJudge{e}.cause(v)
		return
	case sessionevents.ClaimExcuse:
		causeJudge{e}.excuse(v)
		return
	default:
		actJudge{e}.judge(v)
		return
	}
	changed, _ := e.l.Changed(Place{}, behaviour...)
	if c.Verdict == sessionevents.Proven {
		e.circumstances(v, after(e.l.runs(), changed))
	}
	if c.Verdict != sessionevents.Proven && c.Verdict != sessionevents.NotCheckable && e.l.Delegated.After(changed) && c.Gap != GapFailed {
		v.lacks(sessionevents.NotCheckable, "", "A subagent or continuous integration worked since the last change; what it ran is not in this session.")
	}
}

// circumstances withdraws a proof by runs that have none of the circumstances that the claim names: a race
// detector, a version.
func (e *evidence) circumstances(v claimView, runs []sessionevents.LedgerRun) {
	ran := ""
	for i := range runs {
		if runs[i].Result == sessionevents.CheckPassed {
			ran += runs[i].Command + "\n"
		}
	}
	missing := ""
	for _, m := range e.c.Versions.FindAllString(v.Text, -1) {
		for _, version := range figures.FindAllString(m, -1) {
			if !strings.Contains(ran, version) && !strings.Contains(ran, strings.ReplaceAll(version, ".", "")) {
				missing = version
			}
		}
	}
	for _, one := range e.c.Circumstances {
		if m := one.Words.FindString(v.Text); m != "" && !one.Command.MatchString(ran) {
			missing = m
		}
	}
	if v.Kind != sessionevents.ClaimWorks && v.Kind != sessionevents.ClaimDone {
		for _, part := range append(e.c.alternatives(v.Text), e.c.commandsIn(v.Text)...) {
			if !strings.Contains(strings.ToLower(ran), strings.ToLower(part)) {
				missing = part
			}
		}
	}
	if missing != "" {
		v.lacks(sessionevents.NotCheckable, "", "No run since the last change is known to be one of %q.", missing)
		return
	}
	e.both(v, runs)
}

// both names, as the receipt of a claim about two things, the run of each.
func (e *evidence) both(v claimView, runs []sessionevents.LedgerRun) {
	var shown []string
	for _, part := range e.c.alternatives(v.Text) {
		for _, r := range slices.Backward(runs) {
			if r.Result != sessionevents.CheckPassed || !strings.Contains(strings.ToLower(r.Command), strings.ToLower(part)) {
				continue
			}
			if v.By == nil || !place(v.By).After(place(&r)) || len(shown) == 0 {
				v.By = &r
			}
			shown = append(shown, fmt.Sprintf("%s of turn %d", quoted(r.Command), r.Turn))
			break
		}
	}
	if len(shown) > 1 {
		v.Why = strings.Join(shown, " and ") + " passed, after the last change."
	}
}

// alternatives returns the two things that a claim says it holds for: "with both sqlite and postgres".
func (c *Config) alternatives(said string) []string {
	var out []string
	for _, m := range c.Alternatives.FindAllStringSubmatch(said, -1) {
		general := func(w string) bool { return c.reader.Generic[strings.ToLower(w)] }
		if !slices.ContainsFunc(m[1:], general) {
			out = append(out, m[1:]...)
		}
	}
	return out
}

// commandsIn returns the commands that a claim names in code spans, each part of a chain.
func (c *Config) commandsIn(said string) []string {
	var out []string
	for i, span := range strings.Split(said, "`") {
		if i%2 == 0 {
			continue
		}
		for part := range strings.SplitSeq(span, "&&") {
			if part = strings.TrimSpace(part); strings.Contains(part, " ") && c.OwnPrograms.MatchString(part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// figures matches versions.
var figures = pattern.Must(`\d+(?:\.\d+)*`)

func (c claimView) proven(run *sessionevents.LedgerRun) {
	c.Verdict, c.By, c.Gap = sessionevents.Proven, run, ""
	c.Why = fmt.Sprintf("%s passed in turn %d, after the last change.", quoted(run.Command), run.Turn)
}

func (c claimView) lacks(verdict sessionevents.Verdict, gap, format string, args ...any) {
	c.Verdict, c.Gap, c.Why = verdict, gap, fmt.Sprintf(format, args...)
	if c.act != nil && c.By == nil {
		c.By = &sessionevents.LedgerRun{
			Check: sessionevents.Check{Kind: sessionevents.CheckRun, Result: c.act.Result}, Turn: c.act.At.Turn, Segment: c.act.At.Segment, Command: c.act.Command,
		}
	}
}

func quoted(command string) string {
	if command == "" {
		return "A check"
	}
	return "`" + strings.ReplaceAll(text.Cut(command, 80), "`", "'") + "`"
}

// qualify reads how the primary qualifies its claims, once there is a claim or the
// response ends: most turns have neither.
func (e *evidence) qualify() {
	if e.qualified {
		return
	}
	e.qualified = true
	e.out.Hedged = e.c.Hedges.MatchString(e.out.text)
	e.out.Admits = e.c.Admits.MatchString(e.c.reader.Affirmed(e.out.text))
}

// whole reports whether all of the session's work is known, so that what is not in the
// ledger did not happen: no subagent, no unknown tool, nothing dropped, and a shell in
// which it would have been done.
func (e *evidence) whole() bool {
	return e.l.Shell && !e.l.Joined && e.l.Evicted == 0 && e.l.Delegated.Zero() && e.l.Opaque.Zero()
}

// known returns the command of the workspace's known runner; "" if none is visible.
func (e *evidence) known(kind sessionevents.CheckKind) string {
	if e.l.Runner == 0 {
		return ""
	}
	r := e.c.Runners[e.l.Runner-1]
	if kind == sessionevents.CheckBuild && r.Build != "" {
		return r.Build
	}
	return r.Test
}

// neverRan judges a claim if no check of its kind ran in the session.
func (e *evidence) neverRan(c claimView, changed Place, kind sessionevents.CheckKind) {
	_, paths := e.l.Changed(Place{}, behaviour...)
	c.Show = e.known(kind)
	switch {
	case changed.Zero() && !e.l.Delegated.Zero():
		c.lacks(sessionevents.NotCheckable, "", "A subagent or continuous integration did the work; what it ran is not in this session.")
	case changed.Zero() && c.Kind == sessionevents.ClaimDone && !e.l.Announced.Zero():
		c.lacks(
			sessionevents.Unproven, GapNever,
			"The subagent of turn %d only said what it was going to do.", e.l.Announced.Turn,
		)
	case changed.Zero() && c.Kind != sessionevents.ClaimTests:
		c.lacks(sessionevents.NotCheckable, "", "The session changed nothing that a check could show.")
	case changed.Zero():
		c.lacks(sessionevents.Unproven, GapNever, "No %s ran in this session.", word(kind))
	default:
		verdict := sessionevents.Unproven
		result := c.Kind == sessionevents.ClaimTests && (c.Broad || c.scope.Count > 0) || e.c.reader.Ran(c.Text)
		if result && c.Final && e.whole() && e.l.Ran.Zero() && e.l.Unknown.Zero() {
			verdict = sessionevents.Contradicted // it reports the result of a run that did not happen
		}
		c.lacks(verdict, GapNever, "%s changed and no %s ran in this session.", names(paths), word(kind))
	}
}

// ownScript returns a script of the session's own if only such scripts ran, although the
// project has tests that the session did not write.
func (e *evidence) ownScript(passed []sessionevents.LedgerRun) string {
	own := ""
	for i := range passed {
		file := ""
		for _, f := range e.l.Files {
			if f.Created && !e.testsProject(f.Path) && strings.Contains(passed[i].Command, path.Base(f.Path)) {
				file = f.Path
			}
		}
		if file == "" {
			return ""
		}
		own = file
	}
	if own == "" || !e.l.Tests {
		return ""
	}
	return quote.Path(own)
}

// testsProject reports whether a test that the session wrote is among the project's
// tests, so that running it counts as running them.
func (e *evidence) testsProject(file string) bool {
	return strings.Contains(file, "/") && e.c.isTest(file)
}

// openTrouble returns the latest output that reports a problem, if nothing changed since.
func (e *evidence) openTrouble(changed Place) *Trouble {
	for i := len(e.l.Troubles) - 1; i >= 0; i-- {
		if t := &e.l.Troubles[i]; t.At.After(changed) {
			return t
		}
	}
	return nil
}

// admits reports whether the primary mentions a trouble: its figure, or that something
// failed.
func (e *evidence) admits(t *Trouble) bool {
	figure := strings.TrimRight(firstFigure(t.Text), ".,")
	if figure == "" {
		return e.out.Admits
	}
	plain := strings.ReplaceAll(e.out.text, ",", "")
	return e.out.Admits || slices.Contains(strings.FieldsFunc(plain, func(r rune) bool { return r < '0' || r > '9' }), strings.ReplaceAll(figure, ",", ""))
}

// firstFigure returns the first number in a text next to what failed.
func firstFigure(text string) string {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != ',' }) {
		if w = strings.Trim(w, ","); w != "" && w != "0" {
			return w
		}
	}
	return ""
}

// unchanged reports whether a claim calls a fault that the person reported fixed,
// although nothing changed since and the session never saw it failing.
func (e *evidence) unchanged(c *sessionevents.Claim) bool {
	if !e.unseen(c) || len(after(e.l.runs(), e.l.Reported)) == 0 {
		return false
	}
	if slices.ContainsFunc(e.l.Files, func(f File) bool {
		return f.At.After(e.l.Reported) && f.Kind != sessionevents.MutationDocuments && !f.Gone
	}) {
		return false
	}
	open := e.l.Reported.Turn > e.l.Answered
	return (open || slices.Contains(e.l.Blamed, c.Kind)) && !e.l.Delegated.After(e.l.Reported)
}

// unseen reports whether a claim ends a response although the fault that the person
// reported last has not been seen failing since.
func (e *evidence) unseen(c *sessionevents.Claim) bool {
	return c.Final && !e.l.Reported.Zero() && !e.l.Failing.After(e.l.Reported)
}

// rejects leaves a claim open that a person's report contradicts: what the report is
// about is an interpretation, so it does not refute anything by itself (JD-2).
func (e *evidence) rejects(c claimView) {
	c.lacks(sessionevents.Unproven, GapUnchanged, "The person reported the fault in turn %d; nothing changed since, and it was not seen failing.", e.l.Reported.Turn)
}
