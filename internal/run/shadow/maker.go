package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-3: the Rogue Maker. What a failed Maker left undone is not a shadow; what it did
// outside the proposal is.

// noTestFiles holds if several files were changed and none is a test (RW-3).
func noTestFiles(k *work) *sessionevents.Condition {
	limit := k.config.Maker.UntestedFiles
	if !k.success || len(k.files) < limit {
		return nil
	}
	for _, file := range k.files {
		if k.config.isTest(file) {
			return nil
		}
	}
	c := held("no_test_files", k.filesFrom, len(k.files), limit, "%d files changed and none of them is a test", len(k.files))
	c.Immunity = k.onlyDocuments()
	return c
}

// onlyDocuments returns the exemption for changes to documents, which need no tests.
func (k *work) onlyDocuments() string {
	for _, file := range k.files {
		if !k.config.isDocument(file) {
			return ""
		}
	}
	if len(k.files) == 0 {
		return ""
	}
	return "only documents were changed"
}

// monolithicCommit holds for a single large commit (RW-3).
func monolithicCommit(k *work) *sessionevents.Condition {
	m := &k.config.Maker
	if k.commits != 1 {
		return nil
	}
	switch {
	case len(k.files) >= m.MonolithFiles:
		return held("monolithic_commit", k.commitsFrom, len(k.files), m.MonolithFiles, "%d files in a single commit", len(k.files))
	case k.lines >= m.MonolithLines:
		return held("monolithic_commit", k.commitsFrom, k.lines, m.MonolithLines, "%d lines in a single commit", k.lines)
	}
	return nil
}

// outsideProposal ignores tests (RW-3), since the corrective action itself asks for one.
// Files that accompany any change, such as lock files, need no proposal.
func outsideProposal(k *work) *sessionevents.Condition {
	if k.proposal == nil || len(k.proposal.Files) == 0 {
		return nil
	}
	var outside []string
	for _, file := range k.files {
		if !k.proposal.covers(file) && !k.config.isTest(file) && !k.config.accompanies(file) {
			outside = append(outside, file)
		}
	}
	if len(outside) == 0 {
		return nil
	}
	k.events = append(k.events, k.proposal.Event)
	return held("outside_proposal", k.filesFrom, len(outside), 0, "%s outside the proposal: %s", changed(len(outside)), some(outside))
}

func changed(n int) string {
	if n == 1 {
		return "1 file was changed"
	}
	return text.Count(n, "file") + " were changed"
}

// covers reports whether a proposal contains a file; a plan's text may contain only the
// last part of its path.
func (p *proposal) covers(file string) bool {
	return planned(p.Files, file) || p.FromText && namesFile(p.Files, file)
}

// planned reports whether a proposal contains a file, by name, folder or pattern.
func planned(proposed []string, file string) bool {
	for _, p := range proposed {
		if reading.Covers(p, file) {
			return true
		}
	}
	return false
}

// noTestRun checks for evidence of a test run (RW-3): the field, a run seen in the
// session or reported by its own event, or words of the report. If none of these could
// show a run, the result is unknown.
func noTestRun(k *work) *sessionevents.Condition {
	if !k.success {
		return nil
	}
	source := sessionevents.SourceFields
	if k.testsRun != nil {
		if *k.testsRun {
			return nil
		}
	} else if source = k.untested(); source == "" {
		return nil
	}
	c := held("no_test_run", source, 0, 0, "no test run is known")
	c.Immunity = k.onlyDocuments()
	return c
}

// untested returns where a test run would have been visible but was not; "" means
// unknown.
func (k *work) untested() sessionevents.ConditionSource {
	if len(k.files) == 0 || k.run.TestsAt != "" || k.session != nil && k.session.Tests > 0 {
		return ""
	}
	if len(k.say(&k.config.Words.TestsRun)) > 0 || len(k.say(&k.config.Words.TestOutput)) > 0 {
		return ""
	}
	switch {
	case k.session != nil:
		return sessionevents.SourceSession
	case k.report != nil:
		return sessionevents.SourceText
	}
	return ""
}
