package shadow

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// tooManyWords holds for a long output without a Recommendation section (RW-1).
func tooManyWords(k *work) *sessionevents.Condition {
	limit := k.config.Explorer.Words
	if k.report == nil || k.report.Words <= limit || len(k.report.Titled(k.config.Sections.Recommendation)) > 0 {
		return nil
	}
	return held("too_many_words", sessionevents.SourceText, k.report.Words, limit, "the output has %d words and no Recommendation section", k.report.Words)
}

// tangents counts the tangents of an output (RW-1).
func tangents(k *work) *sessionevents.Condition {
	limit := k.config.Explorer.Tangents
	n := len(k.say(&k.config.Words.Tangents))
	if n <= limit {
		return nil
	}
	return held("tangents", sessionevents.SourceText, n, limit, "the output leaves its subject %d times", n)
}

// filesWithoutPatterns counts the files that the Explorer read (RW-1); it is exempt if
// each of them is relevant to the result (RW-8).
func filesWithoutPatterns(k *work) *sessionevents.Condition {
	files, source := k.explored()
	limit := k.config.Explorer.Files
	if len(files) <= limit || k.namesPatterns() {
		return nil
	}
	c := held("files_without_patterns", source, len(files), limit, "%d files were looked at and no pattern in them is named", len(files))
	if k.allRelevant(files) {
		c.Immunity = "each of the " + text.Count(len(files), "file") + " is named in the findings or the recommendation"
	}
	return c
}

// explored returns the files that were read.
func (k *work) explored() (files []string, source sessionevents.ConditionSource) {
	switch {
	case k.filesFrom == sessionevents.SourceFields && len(k.files) > 0:
		return k.files, sessionevents.SourceFields
	case k.session != nil && len(k.session.Read) > 0:
		return k.session.Read, sessionevents.SourceSession
	case k.report != nil:
		return paths(k.config.compiled.files.Find(k.report.Text)), sessionevents.SourceText
	}
	return nil, ""
}

func paths(places []reading.Place) []string {
	var out []string
	for _, p := range places {
		out = append(out, p.Path)
	}
	return out
}

func (k *work) namesPatterns() bool {
	for i := range k.findings {
		f := &k.findings[i]
		if strings.Contains(strings.ToLower(f.Category), "pattern") || k.config.Words.Patterns.In(f.Text) {
			return true
		}
	}
	return k.report != nil && (len(k.report.Titled(k.config.Sections.Patterns)) > 0 || len(k.say(&k.config.Words.Patterns)) > 0)
}

// allRelevant reports whether the result names every file.
func (k *work) allRelevant(files []string) bool {
	var named []string
	for i := range k.findings {
		f := &k.findings[i]
		named = append(named, f.File)
		named = append(named, paths(k.config.compiled.files.Find(f.Text))...)
	}
	if k.report != nil {
		for _, titles := range []reading.Titles{k.config.Sections.Recommendation, k.config.compiled.findings.Titles} {
			for _, s := range k.report.Titled(titles) {
				named = append(named, paths(k.config.compiled.files.Find(k.report.Text[s.From:s.To]))...)
			}
		}
	}
	for _, file := range files {
		if !namesFile(named, file) {
			return false
		}
	}
	return true
}

// namesFile reports whether a file is among names, which may omit its folders.
func namesFile(names []string, file string) bool {
	for _, name := range names {
		if reading.SameFile(name, file) || name != "" && strings.HasSuffix(file, "/"+name) {
			return true
		}
	}
	return false
}

// noSynthesis checks the end of a long output for a synthesis (RW-1).
func noSynthesis(k *work) *sessionevents.Condition {
	e := &k.config.Explorer
	if k.report == nil || k.report.Words < e.SynthesisWords || !k.report.Complete() {
		return nil
	}
	end := k.report.FinalPart(e.SynthesisPercent)
	for _, s := range k.report.Titled(k.config.Sections.Synthesis) {
		if s.To > end {
			return nil
		}
	}
	if len(k.config.Words.Synthesis.Sentences(k.report, end)) > 0 {
		return nil
	}
	return held("no_synthesis", sessionevents.SourceText, k.report.Words, e.SynthesisWords, "the last %d%% of %d words sum nothing up", e.SynthesisPercent, k.report.Words)
}
