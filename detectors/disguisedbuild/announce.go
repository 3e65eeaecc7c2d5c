package disguisedbuild

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// plans announce another version.
type plans struct{ *turn }

// find returns the RF05 phrases about an existing thing: "a new version of
// `Foo`". The phrase alone is not a signal (SW-20), and if the act follows in the same
// turn, the act is reported instead.
func (a *plans) find(acts []twin) []detect.Finding {
	var out []detect.Finding
	for i := range a.Additions.RedFlags {
		hit := &a.Additions.RedFlags[i]
		if hit.ID != "RF05" || hit.Segment >= len(a.Turn.Segments) || len(acts) > 0 {
			continue
		}
		s := &a.Turn.Segments[hit.Segment]
		said := s.Text[min(hit.Offset, len(s.Text)):]
		if a.Reported.MatchString(said) {
			continue
		}
		match := a.Object.FindStringSubmatch(said[min(hit.Length, len(said)):])
		if match == nil {
			continue
		}
		name := strings.TrimSuffix(strings.Trim(match[a.Object.SubexpIndex("name")], "`.,"), "()")
		old, ok := a.existing(name)
		if !ok || touched(a.Pass, &old.Symbol) || a.memory.recent(name, a.Turn.Turn, a.AnnouncedTurns) {
			continue
		}
		a.memory.note(name, a.Turn.Turn, a.AnnouncedKept)
		out = append(out, a.announcement(hit, s, &old))
	}
	return out
}

// announces reports whether the turn's plan explicitly says that a second version is
// created (RF05), which confirms a doubtful one.
func (a *plans) announces() bool {
	return slices.ContainsFunc(a.Additions.RedFlags, func(hit sessionevents.RedFlagHit) bool { return hit.ID == "RF05" && !hit.Thinking })
}

// existing returns the symbol or file of exactly this name.
func (a *plans) existing(name string) (duplicate.Candidate, bool) {
	if path.Ext(name) != "" && !strings.HasSuffix(name, ".") {
		for _, f := range a.Before.FilesAlike(name) {
			if (f.Path == name || strings.HasSuffix(f.Path, "/"+name)) && !a.skips(f.Path) {
				return duplicate.Candidate{Built: registry.Built{Turn: f.Turn, Symbol: sessionevents.Symbol{Name: f.Path, Kind: "file", Path: f.Path}}, InSession: f.Written}, true
			}
		}
	}
	if a.measure.ConventionalName(name) {
		return duplicate.Candidate{}, false
	}
	for _, c := range a.standing(similarity.Words(name)) {
		if c.Symbol.Name == name && c.Session == "" {
			return c, true
		}
	}
	return duplicate.Candidate{}, false
}

// touched reports whether the turn writes the existing file itself, which is an open
// modification.
func touched(p *detect.Pass, old *sessionevents.Symbol) bool {
	return slices.ContainsFunc(p.Additions.FilesWritten, func(w registry.SegmentItem[registry.FileWritten]) bool {
		return w.Item.Path == old.Path || w.Item.Path == ""
	})
}

func (a *plans) announcement(hit *sessionevents.RedFlagHit, s *sessionevents.Segment, old *duplicate.Candidate) detect.Finding {
	e := detect.At(s, hit.Offset, hit.Length)
	e.Quote = detect.Quote(hit.Sentence)
	e.ConflictsWith = earlier(old)
	f := a.finding(old, false)
	f.Subclass, f.Subject, f.Evidence = "announced", old.Symbol.Name, []sessionevents.Evidence{e}
	f.Confidence = detect.Lexical(a.config.Confidence.Announced, hit.Thinking)
	f.Message = fmt.Sprintf("A second version of %s is announced while the first stays (%s). Change the existing one instead.", place(old), origin(old))
	f.Reason = fmt.Sprintf("The plan announces another version of %s, %s.", place(old), origin(old))
	acted := len(a.Additions.FilesWritten) > 0 && !builds(a.Pass, old.Symbol.Name) // something else than the version
	if acted || hit.Thinking || a.leaves() {
		f.Cap, f.Floor = detect.LogOnly, 0
	}
	return f
}

// builds reports whether the turn builds something whose name has all words of another name and one more.
func builds(p *detect.Pass, name string) bool {
	words := similarity.Words(name)
	return slices.ContainsFunc(p.Additions.Built, func(b registry.SegmentItem[registry.Built]) bool {
		longer := similarity.Words(b.Item.Symbol.Name)
		lacks := func(w string) bool { return !slices.Contains(longer, w) }
		return len(longer) > len(words) && !slices.ContainsFunc(words, lacks)
	})
}

// recent reports whether a second version of it was announced, or created, a few turns
// ago.
func (m *memory) recent(name string, turn, within int) bool {
	return slices.ContainsFunc(m.Announced, func(a announced) bool { return a.Name == name && turn-a.Turn <= within })
}

func (m *memory) note(name string, turn, kept int) {
	m.Announced = text.Newest(append(m.Announced, announced{name, turn}), kept)
}
