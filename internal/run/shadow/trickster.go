package shadow

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
