package duplicatebuild

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

// createdFiles returns the new files whose name has the same meaning as an existing
// file's; they count like symbols.
func (d *instance) createdFiles(p *detect.Pass) []repeat {
	var out []repeat
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentDiff || s.Diff == nil || s.Diff.Op != sessionevents.DiffCreate || s.Diff.Failed || s.Proposed || s.Rejected {
			continue
		}
		file := p.Before.Path(s.Path)
		if d.measure.ConventionalFileName(file) || d.measure.ConventionalFile(file) || held(p, file) {
			continue
		}
		if r, ok := d.repeatedFile(p, s, file); ok {
			out = append(out, r)
		}
	}
	return out
}

// held reports whether the session has seen or written the file before.
func held(p *detect.Pass, file string) bool {
	return len(p.Before.Reads(file)) > 0 || len(p.Before.DiffsOf(file)) > 0 || len(p.Before.BuiltIn(file)) > 0
}

// repeatedFile returns the best of the files with that name.
func (d *instance) repeatedFile(p *detect.Pass, s *sessionevents.Segment, file string) (best repeat, found bool) {
	for _, f := range p.Before.FilesAlike(file) {
		language := syntax.LanguageOf(f.Path)
		if duplicate.SameFile(f.Path, file) || language == "" || !d.measure.SameFamily(s.Language, language) ||
			d.measure.ConventionalFile(f.Path) || d.measure.Parallel(file, f.Path) {
			continue
		}
		old := sessionevents.Symbol{Name: f.Path, Kind: "file", Path: f.Path, Language: language}
		if leaves(p, &old) {
			continue
		}
		r := repeat{
			segment: s.Index, thing: "file", symbol: sessionevents.Symbol{Name: file, Kind: "file", Path: file, Language: s.Language},
			old: duplicate.Candidate{Built: registry.Built{Symbol: old, Turn: f.Turn}, InSession: f.Written},
		}
		r.score = d.fileScore(p, s, &f)
		switch {
		case r.score < d.Substantial:
			r.logOnly = "a partial overlap"
		case d.measure.Script(file, detect.Text(s)) || d.measure.Script(f.Path, ""):
			r.logOnly = runByHand
		case d.measure.OtherPackage(file, f.Path):
			r.logOnly = "they belong to different packages"
		case uses(s, &old):
			r.logOnly = "it uses the other"
		case d.moves(p):
			r.logOnly = beingMoved
		}
		if r.score >= d.Partial && (!found || r.score > best.score) {
			best, found = r, true
		}
	}
	return best, found
}

// fileScore returns the score of a file from its name and from what both files declare.
func (d *instance) fileScore(p *detect.Pass, s *sessionevents.Segment, f *registry.File) float64 {
	name := similarity.Names(stem(s.Path), stem(f.Path))
	shared := 0.0
	if len(s.Symbols) > 0 {
		n := 0
		for i := range s.Symbols {
			if standsIn(p, s.Symbols[i].Name, f.Path) {
				n++
			}
		}
		shared = float64(n) / float64(len(s.Symbols))
	}
	for _, mine := range p.Additions.Diffs {
		for _, theirs := range p.Before.DiffsOf(f.Path) {
			if mine.Segment == s.Index && mine.Item.Added > 0 {
				same := similarity.Compare(mine.Item.Shingles, theirs.Shingles, max(min(len(mine.Item.Shingles), len(theirs.Shingles)), leastSample))
				shared = max(shared, same.Contained)
			}
		}
	}
	if shared == 0 && name == 1 && !p.Before.Outlined(f.Path) {
		return d.File.Unseen
	}
	return d.File.Name*name + d.File.Symbols*shared
}

// standsIn reports whether the file contained a symbol of the same name.
func standsIn(p *detect.Pass, name, file string) bool {
	there := func(b registry.Built) bool { return b.Gone == 0 && b.Symbol.Path == file }
	return slices.ContainsFunc(p.Before.BuiltNamed(name), there) || slices.ContainsFunc(p.Before.Known(name), there)
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }
