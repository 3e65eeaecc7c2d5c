package duplicatebuild

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// extractions finds code that was to be moved and is only copied when the response ends.
type extractions struct{ *turn }

// extraction is code that a plan or request said is extracted, and that is only copied so
// far.
type extraction struct {
	Turn  int      `json:"n"`
	Path  string   `json:"p"` // the new place
	Old   string   `json:"o"`
	Names []string `json:"s"`
}

// noteExtraction records an apparent move until the response ends.
func (x *extractions) noteExtraction(group []repeat) {
	e := extraction{Turn: x.Turn.Turn, Path: group[0].symbol.Path, Old: group[0].old.Symbol.Path}
	for i := range group {
		if r := &group[i]; r.thing == "symbol" && r.logOnly == beingMoved && r.old.Symbol.Kind != "file" {
			e.Names = append(e.Names, r.old.Symbol.Name)
		}
	}
	if len(e.Names) > 0 {
		x.memory.Extractions = text.Newest(append(x.memory.Extractions, e), extractionsKept)
	}
}

// extractionsKept bounds the open extractions.
const extractionsKept = 12

// unfinished returns findings for extractions that were not completed when the response
// ends: the old copies remain, and nothing imports the new ones.
func (x *extractions) unfinished() []detect.Finding {
	x.memory.Extractions = slices.DeleteFunc(x.memory.Extractions, func(e extraction) bool { return usedSince(x.Pass, &e) })
	report := x.Report()
	if report == nil {
		return nil
	}
	var out []detect.Finding
	for i := range x.memory.Extractions {
		e := &x.memory.Extractions[i]
		left := slices.DeleteFunc(slices.Clone(e.Names), func(name string) bool { return !stillIn(x.Pass, name, e.Old) })
		if len(left) == 0 || e.Turn == x.Turn.Turn {
			continue
		}
		out = append(out, x.unfinishedFinding(report, e, left))
	}
	x.memory.Extractions = nil
	return out
}

// usedSince reports whether an edit of this turn imports the new place, or removes a name
// from the old one.
func usedSince(p *detect.Pass, e *extraction) bool {
	fresh := sessionevents.Symbol{Path: e.Path}
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !detect.Applied(s) {
			continue
		}
		if file := p.Before.Path(s.Path); file != e.Path && uses(s, &fresh) {
			return true
		}
	}
	return slices.ContainsFunc(p.Additions.Removed, func(r registry.SegmentItem[registry.Built]) bool {
		return registry.SameFile(r.Item.Symbol.Path, e.Old) && (r.Item.Symbol.Name == "" || slices.Contains(e.Names, r.Item.Symbol.Name))
	}) || movedAway(p, e.Old)
}

// stillIn reports whether a file still contains a name, according to the registry.
func stillIn(p *detect.Pass, name, file string) bool {
	there := func(b registry.Built) bool { return b.Gone == 0 && registry.SameFile(b.Symbol.Path, file) }
	return slices.ContainsFunc(p.Before.BuiltNamed(name), there) || slices.ContainsFunc(p.Before.Known(name), there)
}

func (x *extractions) unfinishedFinding(report *sessionevents.Segment, e *extraction, left []string) detect.Finding {
	names := strings.Join(left[:min(len(left), x.Named)], ", ")
	if more := len(left) - x.Named; more > 0 {
		names += " and " + strconv.Itoa(more) + " more"
	}
	evidence := detect.Whole(report)
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: e.Turn, Path: e.Old, What: strings.Join(left[:min(len(left), 8)], ", ")}
	return detect.Finding{
		Subclass: "extraction", Subject: e.Path, Confidence: x.Confidence.Copy, ReworkCost: costCodebase, SelfCorrect: x.config.SelfCorrect.Unsearched,
		Evidence: []sessionevents.Evidence{evidence},
		Message: fmt.Sprintf("%s were copied into %s, not extracted: %s still holds them and nothing imports the new file. Import them there and delete the old copies.",
			names, e.Path, e.Old),
		Reason: fmt.Sprintf("Turn %d said that code moves, and the response ends with %d copies.", e.Turn, len(left)),
	}
}
