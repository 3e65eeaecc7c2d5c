package shadow

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// shadow is the shadow of one archetype: any of its conditions is sufficient, and several
// at once are one shadow.
type shadow struct {
	rule       string
	archetype  string
	conditions []condition
}

// shadows are the archetypes' shadows with their conditions, in the order of their rules.
var shadows = []shadow{
	{"RW-1", explorer, []condition{tooManyWords, tangents, filesWithoutPatterns, noSynthesis}},
	{"RW-2", creator, []condition{tooManyAbstractions, futureProof, scopeExceedsTask, tooManyPackages}},
	{"RW-3", maker, []condition{noTestFiles, monolithicCommit, outsideProposal, noTestRun}},
	{"RW-4", guardian, []condition{criticalRatio, neverApproved, findingsWithoutFix, requiresCompromised}},
	{"RW-5", skeptic, []condition{tooManyChallenges, fewAlternatives, sameConcern, outsideScope}},
	{"RW-6", trickster, []condition{untouchedCode, tooManyFindings, impossibleScenarios, withoutRepro}},
	{"RW-7", sage, []condition{reviewTooLong, outsideChangeset, considerWithoutAction, trivialDocumentation}},
}

// systemRules are about the run as a whole, contextRules about the content of prompts.
var (
	systemRules  = []string{"RW-10", "RW-11", "RW-12", "RW-13", "RW-14", "RW-15", "RW-16"}
	contextRules = []string{"RW-22/lessons", "RW-22/findings", "RW-22/prompt"}
)

// ruleIDs returns all rules that need an action.
func ruleIDs() []string {
	var out []string
	for _, s := range shadows {
		out = append(out, s.rule)
	}
	return append(append(out, systemRules...), contextRules...)
}

// judge reports the shadow of a piece of work, and returns whether it has one.
func (c *Context) judge(k *work) bool {
	for _, s := range shadows {
		if s.archetype != k.agent.Archetype {
			continue
		}
		var because []sessionevents.Condition
		for _, holds := range s.conditions {
			if condition := holds(k); condition != nil {
				because = append(because, *condition)
			}
		}
		c.Executed(s.rule)
		if len(because) == 0 {
			return false
		}
		c.signal(notice{rule: s.rule, layer: sessionevents.LayerArchetype, agent: k.agent, cycle: k.cycle, events: k.events, because: because})
		return true
	}
	return false
}

// Archetypes.
const (
	explorer  = "explorer"
	creator   = "creator"
	maker     = "maker"
	guardian  = "guardian"
	skeptic   = "skeptic"
	trickster = "trickster"
	sage      = "sage"
)

var archetypes = []string{explorer, creator, maker, guardian, skeptic, trickster, sage}

var reviewers = []string{guardian, skeptic, trickster, sage}

// numbered matches the number after the archetype in a reviewer's name: guardian-2.
var numbered = pattern.Must(`[-_ #]?\d+$`)

// archetypeOf reads an archetype in any case, also as a plugin's agent
// ("archeflow:guardian") or in plain words ("the Guardian"); it returns "" for any other
// word.
func archetypeOf(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.LastIndexAny(name, ":/"); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimPrefix(name, "the ")
	if slices.Contains(archetypes, name) {
		return name
	}
	return ""
}

// archetypeOfReviewer reads the archetype from a reviewer's name, for reviewers without a
// known agent of that name.
func archetypeOfReviewer(name string) string {
	return archetypeOf(numbered.ReplaceAllString(strings.TrimSpace(name), ""))
}

// RW-4: the Paranoid Guardian.

// criticalRatio compares CRITICALs with WARNINGs (RW-4): strictly more than the
// ratio, and enough of them; two without a WARNING may be genuine (RW-8).
func criticalRatio(k *work) *sessionevents.Condition {
	g := &k.config.Guardian
	criticals := k.count(func(f *runevents.Finding) bool { return f.Severity == runevents.SeverityCritical })
	warnings := k.count(func(f *runevents.Finding) bool { return f.Severity == runevents.SeverityWarning })
	if criticals < g.Genuine || criticals <= g.Ratio*warnings {
		return nil
	}
	c := held("critical_ratio", k.findingsFrom, criticals, g.Criticals, "%d CRITICALs against %s", criticals, text.Count(warnings, "WARNING"))
	if criticals < g.Criticals {
		c.Immunity = text.Count(criticals, "CRITICAL") + " may be genuine: the ratio counts from " + text.Count(g.Criticals, "CRITICAL")
	}
	return c
}

// neverApproved checks all reviews of the run's Guardians, one per cycle and Guardian
// (RW-4).
func neverApproved(k *work) *sessionevents.Condition {
	if !k.reviewed() {
		return nil
	}
	reviews := 0
	for i := range k.run.Reviews {
		r := &k.run.Reviews[i]
		if r.Archetype != guardian || r.Verdict == "" {
			continue
		}
		if oneOf(k.config.Approving, r.Verdict) || oneOf(k.config.ApprovingWithRemarks, r.Verdict) {
			return nil
		}
		reviews++
	}
	if limit := k.config.Guardian.Reviews; reviews >= limit {
		return held("never_approved", sessionevents.SourceFields, reviews, limit, "none of %d reviews approved", reviews)
	}
	return nil
}

// reviewed reports whether the work is a review with a verdict.
func (k *work) reviewed() bool {
	for i := range k.run.Reviews {
		if r := &k.run.Reviews[i]; r.Reviewer == k.agent.ID && r.Cycle == k.cycle && r.Verdict != "" {
			return true
		}
	}
	return false
}

// findingsWithoutFix counts findings that include no fix (RW-4).
func findingsWithoutFix(k *work) *sessionevents.Condition {
	g := &k.config.Guardian
	fixed := k.count(func(f *runevents.Finding) bool { return f.Fix != "" || k.config.Words.Fixes.In(f.Text) })
	if n := len(k.findings); n < g.FixFindings || fixed*100 >= g.FixPercent*n {
		return nil
	}
	return held("findings_without_fix", k.findingsFrom, fixed*100/len(k.findings), g.FixPercent, "a fix is given for %d of %d findings", fixed, len(k.findings))
}

// requiresCompromised checks the findings, or the report if it has no list of findings
// (RW-4).
func requiresCompromised(k *work) *sessionevents.Condition {
	source := k.findingsFrom
	n := k.count(func(f *runevents.Finding) bool { return f.RequiresCompromised })
	if n == 0 {
		said := k.count(func(f *runevents.Finding) bool { return k.config.Words.Compromised.In(f.Text) })
		if k.findingsFrom == "" {
			said = len(k.say(&k.config.Words.Compromised))
		}
		n, source = said, sessionevents.SourceText
	}
	if n == 0 {
		return nil
	}
	return held("requires_compromised", source, n, 0, "a system that is compromised already is required by %s", text.Count(n, "finding"))
}

// reviewTooLong compares the words of the review with the lines of the diff
// (RW-7).
func reviewTooLong(k *work) *sessionevents.Condition {
	words, source := k.reviewWords()
	lines := k.lines
	if lines <= 0 {
		lines = k.run.Lines
	}
	limit := k.config.Sage.WordsPerLine * lines
	if lines <= 0 || words <= limit {
		return nil
	}
	return held("review_too_long", source, words, limit, "%d words about %s of diff", words, text.Count(lines, "line"))
}

// reviewWords counts the words of the report, or of the findings if there is none.
func (k *work) reviewWords() (n int, source sessionevents.ConditionSource) {
	if k.report != nil {
		return k.report.Words, sessionevents.SourceText
	}
	for i := range k.findings {
		n += reading.CountWords(k.findings[i].Text) + reading.CountWords(k.findings[i].Fix)
	}
	return n, k.findingsFrom
}

// outsideChangeset counts findings outside the changeset (RW-7).
func outsideChangeset(k *work) *sessionevents.Condition {
	n := k.count(k.untouched)
	if n == 0 {
		return nil
	}
	return held("outside_changeset", k.findingsFrom, n, 0, "%s outside the changeset", text.Count(n, "finding"))
}

// considerWithoutAction counts findings, or sentences of a report without a list of
// findings, that say "consider" without an action (RW-7).
func considerWithoutAction(k *work) *sessionevents.Condition {
	limit := k.config.Sage.Considers
	words := &k.config.Words
	n, source := k.count(func(f *runevents.Finding) bool {
		return f.Fix == "" && words.Consider.In(f.Text) && !words.Actions.In(f.Text)
	}), k.findingsFrom
	if k.findingsFrom == "" {
		source = sessionevents.SourceText
		for _, sentence := range k.say(&words.Consider) {
			if !words.Actions.In(sentence) {
				n++
			}
		}
	}
	if n <= limit {
		return nil
	}
	return held("consider_without_action", source, n, limit, `"consider" %d times without an action`, n)
}

// trivialDocumentation requires both in one sentence (RW-7): documentation, and a
// function that needs none.
func trivialDocumentation(k *work) *sessionevents.Condition {
	words := &k.config.Words
	asked := func(text string) bool {
		if text == "" {
			return false
		}
		for _, sentence := range words.Documentation.Sentences(reading.Read(text, len(text)), 0) {
			if words.TrivialFunctions.In(sentence) {
				return true
			}
		}
		return false
	}
	n := k.count(func(f *runevents.Finding) bool { return asked(f.Text) || asked(f.Fix) })
	if k.findingsFrom == "" && k.report != nil && asked(k.report.Text) {
		n = 1
	}
	if n == 0 {
		return nil
	}
	return held("trivial_documentation", sessionevents.SourceText, n, 0, "documentation is asked for trivial functions")
}

// RW-6: the Trickster's False Alarm. A few edge cases that are all in changed code with
// steps to reproduce are exempt (RW-8); more of them are still too many.

// untouchedCode counts findings in untouched code (RW-6).
func untouchedCode(k *work) *sessionevents.Condition {
	n := k.count(k.untouched)
	if n == 0 {
		return nil
	}
	return held("untouched_code", k.findingsFrom, n, 0, "%s in untouched code", text.Count(n, "finding"))
}

// tooManyFindings compares the findings with the files of the change (RW-6).
func tooManyFindings(k *work) *sessionevents.Condition {
	t := &k.config.Trickster
	files := k.reviewedFiles()
	if len(k.findings) <= t.Findings || files == 0 || files >= t.Files {
		return nil
	}
	c := held("too_many_findings", k.findingsFrom, len(k.findings), t.Findings, "%d findings for %s", len(k.findings), text.Count(files, "file"))
	c.Immunity = k.provenInChange()
	return c
}

// reviewedFiles counts the files of the change, or those that the findings name; 0 means
// unknown.
func (k *work) reviewedFiles() int {
	if files := k.changeset(); len(files) > 0 {
		return len(distinct(files))
	}
	var named []string
	for i := range k.findings {
		if f := k.findings[i].File; !slices.Contains(named, f) && f != "" {
			named = append(named, f)
		}
	}
	return len(named)
}

// impossibleScenarios counts scenarios that cannot happen (RW-6). Imaginary steps do not
// exempt; a few scenarios with steps that can be followed are not impossible after all
// (RW-8).
func impossibleScenarios(k *work) *sessionevents.Condition {
	n := k.count(func(f *runevents.Finding) bool {
		return k.config.Words.Impossible.In(f.Text) || k.config.Words.Impossible.In(f.Repro)
	})
	if k.findingsFrom == "" {
		n = len(k.say(&k.config.Words.Impossible))
	}
	if n == 0 {
		return nil
	}
	c := held("impossible_scenarios", sessionevents.SourceText, n, 0, "%s cannot happen", text.Count(n, "scenario"))
	if k.count(k.steps) == len(k.findings) {
		c.Immunity = k.provenInChange()
	}
	return c
}

// withoutRepro counts findings without steps to reproduce (RW-6).
func withoutRepro(k *work) *sessionevents.Condition {
	limit := k.config.Trickster.WithoutRepro
	n := k.count(func(f *runevents.Finding) bool { return !k.reproducible(f) })
	if n <= limit {
		return nil
	}
	return held("without_repro", k.findingsFrom, n, limit, "%d findings have no steps to reproduce", n)
}

func (k *work) reproducible(f *runevents.Finding) bool {
	return f.Repro != "" || k.config.Words.Repro.In(f.Text)
}

// steps reports whether a finding has steps of its own that are not imaginary.
func (k *work) steps(f *runevents.Finding) bool {
	return f.Repro != "" && !k.config.Words.Impossible.In(f.Repro) && !k.config.Words.Imagined.In(f.Repro)
}

// provenInChange returns the exemption for a few edge cases (RW-8).
func (k *work) provenInChange() string {
	if len(k.findings) == 0 || len(k.findings) > k.config.Trickster.EdgeCases ||
		k.count(func(f *runevents.Finding) bool { return k.touched(f) && k.reproducible(f) }) < len(k.findings) {
		return ""
	}
	if len(k.findings) == 1 {
		return "the finding is in changed code and has steps to reproduce"
	}
	return "all " + text.Count(len(k.findings), "finding") + " are in changed code and have steps to reproduce"
}
