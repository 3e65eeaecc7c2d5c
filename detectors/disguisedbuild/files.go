package disguisedbuild

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// copies are new files that repeat others.
type copies struct{ *turn }

// find returns the new files that vary or duplicate an existing one next to them, except
// those whose symbols are already reported.
func (c *copies) find(symbols []twin) []twin {
	var out []twin
	for i := range c.Additions.Diffs {
		record := &c.Additions.Diffs[i]
		s := &c.Turn.Segments[record.Segment]
		file := record.Item.Path
		if s.Diff.Op != sessionevents.DiffCreate || !syntax.Reads(s.Language) || c.skips(file) || len(inSegment(symbols, s.Index)) > 0 || known(c.Pass, file) {
			continue
		}
		if t, ok := c.file(s, &record.Item); ok && !c.standsByDesign(s) {
			out = append(out, t)
		}
	}
	return out
}

func known(p *detect.Pass, file string) bool {
	return len(p.Before.Reads(file)) > 0 || len(p.Before.DiffsOf(file)) > 0 || len(p.Before.BuiltIn(file)) > 0
}

// file judges one new file: by a mark in its name, or by one more word than the name of a
// file next to it, if that file covers its content.
func (c *copies) file(s *sessionevents.Segment, record *registry.DiffRecord) (twin, bool) {
	words := similarity.Words(stem(record.Path))
	if base, word, how := c.split(words); how != noMark {
		if old, ok := c.neighbour(s, record.Path, base); ok {
			covered, copied := c.sameText(s, record, old.Symbol.Path)
			t := c.fileTwin(s, record.Path, old, copied)
			t.mark = word
			switch {
			case how == weakMark && !covered:
				t.confidence, t.logOnly = c.config.Confidence.Doubtful, nameOnly
			case copied:
				t.confidence = c.config.Confidence.Confirmed
			case !covered && c.Before.Outlined(old.Symbol.Path):
				t.confidence, t.logOnly = c.config.Confidence.Doubtful, "the files have little in common"
			}
			return t, true
		}
	}
	if record.Added > c.SmallLines || len(words) < 3 || c.measure.ConventionalFileName(record.Path) {
		return twin{}, false
	}
	for i, word := range words {
		if c.Paired[word] {
			continue
		}
		old, ok := c.neighbour(s, record.Path, slices.Delete(slices.Clone(words), i, i+1))
		if !ok {
			continue
		}
		if covered, copied := c.sameText(s, record, old.Symbol.Path); covered {
			t := c.fileTwin(s, record.Path, old, copied)
			if !copied {
				t.confidence, t.logOnly = c.config.Confidence.Doubtful, "only names and calls agree"
			}
			return t, true
		}
	}
	return twin{}, false
}

func (c *copies) fileTwin(s *sessionevents.Segment, file string, old duplicate.Candidate, copied bool) twin {
	return twin{
		segment: s.Index, symbol: sessionevents.Symbol{Name: file, Kind: "file", Path: file, Language: s.Language},
		old: old, subclass: "file", confidence: c.config.Confidence.File, duplicated: copied,
	}
}

// neighbour returns the file next to a new one whose name has exactly these words, if it
// remains and the new one does not use it.
func (c *copies) neighbour(s *sessionevents.Segment, file string, words []string) (duplicate.Candidate, bool) {
	for _, f := range c.Before.FilesAlike(path.Join(path.Dir(file), strings.Join(words, "_")+path.Ext(file))) {
		language := syntax.LanguageOf(f.Path)
		if path.Dir(f.Path) != path.Dir(file) || !slices.Equal(similarity.Words(stem(f.Path)), words) || !syntax.Reads(language) ||
			!c.measure.SameFamily(s.Language, language) || c.skips(f.Path) || c.measure.Parallel(file, f.Path) {
			continue
		}
		old := sessionevents.Symbol{Name: f.Path, Kind: "file", Path: f.Path, Language: language}
		if c.goes(&old) || touched(c.Pass, &old) || c.uses(s.Index, &old) {
			continue
		}
		return duplicate.Candidate{Built: registry.Built{Symbol: old, Turn: f.Turn}, InSession: f.Written}, true
	}
	return duplicate.Candidate{}, false
}

// sameText compares a new file with what is known of an existing one: its symbols, and
// the lines that this session wrote.
func (c *copies) sameText(s *sessionevents.Segment, record *registry.DiffRecord, old string) (covered, copied bool) {
	covered, copied = c.covers(s, old)
	for _, before := range c.Before.DiffsOf(old) {
		shared := similarity.Compare(record.Shingles, before.Shingles, c.Before.SketchSizes().Diff)
		if shared.Sample >= c.Sample && shared.Contained >= c.Body {
			return true, true
		}
	}
	return covered, copied
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }
