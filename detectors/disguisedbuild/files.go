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

// files returns the new files that vary or duplicate an existing one next to them, except
// those whose symbols are already reported.
func (d *instance) files(p *detect.Pass, symbols []twin) []twin {
	var out []twin
	for i := range p.Additions.Diffs {
		record := &p.Additions.Diffs[i]
		s := &p.Turn.Segments[record.Segment]
		file := record.Item.Path
		if s.Diff.Op != sessionevents.DiffCreate || !syntax.Reads(s.Language) || d.skips(file) || len(inSegment(symbols, s.Index)) > 0 || known(p, file) {
			continue
		}
		if t, ok := d.file(p, s, &record.Item); ok && !d.standsByDesign(s) {
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
func (d *instance) file(p *detect.Pass, s *sessionevents.Segment, record *registry.DiffRecord) (twin, bool) {
	words := similarity.Words(stem(record.Path))
	if base, word, how := d.split(words); how != noMark {
		if old, ok := d.neighbour(p, s, record.Path, base); ok {
			covered, copied := d.sameText(p, s, record, old.Symbol.Path)
			t := d.fileTwin(s, record.Path, old, copied)
			t.mark = word
			switch {
			case how == weakMark && !covered:
				t.confidence, t.logOnly = d.config.Confidence.Doubtful, nameOnly
			case copied:
				t.confidence = d.config.Confidence.Confirmed
			case !covered && p.Before.Outlined(old.Symbol.Path):
				t.confidence, t.logOnly = d.config.Confidence.Doubtful, "the files have little in common"
			}
			return t, true
		}
	}
	if record.Added > d.SmallLines || len(words) < 3 || d.measure.ConventionalFileName(record.Path) {
		return twin{}, false
	}
	for i, word := range words {
		if d.Paired[word] {
			continue
		}
		old, ok := d.neighbour(p, s, record.Path, slices.Delete(slices.Clone(words), i, i+1))
		if !ok {
			continue
		}
		if covered, copied := d.sameText(p, s, record, old.Symbol.Path); covered {
			t := d.fileTwin(s, record.Path, old, copied)
			if !copied {
				t.confidence, t.logOnly = d.config.Confidence.Doubtful, "only names and calls agree"
			}
			return t, true
		}
	}
	return twin{}, false
}

func (d *instance) fileTwin(s *sessionevents.Segment, file string, old duplicate.Candidate, copied bool) twin {
	return twin{
		segment: s.Index, symbol: sessionevents.Symbol{Name: file, Kind: "file", Path: file, Language: s.Language},
		old: old, subclass: "file", confidence: d.config.Confidence.File, duplicated: copied,
	}
}

// neighbour returns the file next to a new one whose name has exactly these words, if it
// remains and the new one does not use it.
func (d *instance) neighbour(p *detect.Pass, s *sessionevents.Segment, file string, words []string) (duplicate.Candidate, bool) {
	for _, f := range p.Before.FilesAlike(path.Join(path.Dir(file), strings.Join(words, "_")+path.Ext(file))) {
		language := syntax.LanguageOf(f.Path)
		if path.Dir(f.Path) != path.Dir(file) || !slices.Equal(similarity.Words(stem(f.Path)), words) || !syntax.Reads(language) ||
			!d.measure.SameFamily(s.Language, language) || d.skips(f.Path) || d.measure.Parallel(file, f.Path) {
			continue
		}
		old := sessionevents.Symbol{Name: f.Path, Kind: "file", Path: f.Path, Language: language}
		if d.goes(p, &old) || touched(p, &old) || d.uses(p, s.Index, &old) {
			continue
		}
		return duplicate.Candidate{Built: registry.Built{Symbol: old, Turn: f.Turn}, InSession: f.Written}, true
	}
	return duplicate.Candidate{}, false
}

// sameText compares a new file with what is known of an existing one: its symbols, and
// the lines that this session wrote.
func (d *instance) sameText(p *detect.Pass, s *sessionevents.Segment, record *registry.DiffRecord, old string) (covered, copied bool) {
	covered, copied = d.covers(p, s, old)
	for _, before := range p.Before.DiffsOf(old) {
		shared := similarity.Compare(record.Shingles, before.Shingles, p.Before.SketchSizes().Diff)
		if shared.Sample >= d.Sample && shared.Contained >= d.Body {
			return true, true
		}
	}
	return covered, copied
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }
