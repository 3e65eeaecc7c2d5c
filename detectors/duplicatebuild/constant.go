package duplicatebuild

import (
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// constant is a named literal that an edit of the session showed.
type constant struct {
	Name  string `json:"n"`
	Value uint32 `json:"v"` // hash of the literal
	Path  string `json:"p"`
	Line  int    `json:"l,omitempty"`
	Turn  int    `json:"t"`
}

// constants returns the new named literals that another file has under the same name:
// constants count as symbols.
func (x *doubles) constants() []repeat {
	var out []repeat
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		if !x.judgesFragments(s) {
			continue
		}
		file := x.Before.Path(s.Path)
		x.memory.Constants = slices.DeleteFunc(x.memory.Constants, func(c constant) bool { return c.Path == file && removes(s, c.Name) })
		for _, c := range x.declared(s, file, x.Turn.Turn) {
			if r, ok := x.repeatedConstant(s, &c); ok {
				out = append(out, r)
			}
			x.memory.Constants = text.Newest(append(x.memory.Constants, c), x.Constants.Kept)
		}
	}
	return out
}

// declared returns the named literals in the lines that an edit adds at the outermost
// level.
func (x *doubles) declared(s *sessionevents.Segment, file string, turn int) []constant {
	var out []constant
	for _, line := range s.Diff.Added() {
		found := x.config.Constants.Pattern.FindStringSubmatch(line.Text)
		if found == nil || removes(s, found[x.config.Constants.Pattern.SubexpIndex("name")]) {
			continue
		}
		name := found[x.config.Constants.Pattern.SubexpIndex("name")]
		if len(similarity.Words(name)) < 2 {
			continue
		}
		value := strings.Trim(found[x.config.Constants.Pattern.SubexpIndex("value")], `"'`)
		out = append(out, constant{Name: name, Value: uint32(xxhash.Sum64String(value)), Path: file, Line: line.Number, Turn: turn})
	}
	return out
}

// removes reports whether the edit removes a line with the name, which means that it
// changes an existing constant.
func removes(s *sessionevents.Segment, name string) bool {
	return slices.ContainsFunc(s.Diff.Removed(), func(l sessionevents.Line) bool { return code.Holds(l.Text, name) })
}

// repeatedConstant returns the earlier constant of that name and value, in the session or
// in the publisher's index.
func (x *doubles) repeatedConstant(s *sessionevents.Segment, c *constant) (repeat, bool) {
	symbol := sessionevents.Symbol{Name: c.Name, Kind: "constant", Path: c.Path, Line: c.Line, Language: s.Language}
	r := repeat{segment: s.Index, symbol: symbol, thing: "symbol", score: constantScore}
	for _, old := range x.memory.Constants {
		if old.Path != c.Path && old.Value == c.Value && similarity.Key(old.Name) == similarity.Key(c.Name) && !x.measure.Parallel(c.Path, old.Path) {
			earlier := sessionevents.Symbol{Name: old.Name, Kind: "constant", Path: old.Path, Line: old.Line, Language: s.Language}
			r.old = duplicate.Candidate{Built: registry.Built{Symbol: earlier, Turn: old.Turn, Last: old.Turn}, InSession: true}
			r.logOnly = x.constantExcuse(s, &earlier, c)
			return r, true
		}
	}
	for _, known := range x.Before.Known(c.Name) {
		old := &known.Symbol
		if known.Gone == 0 && old.Kind == "constant" && old.Path != c.Path && !x.measure.ConventionalFile(old.Path) && !x.measure.Parallel(c.Path, old.Path) {
			r.old = duplicate.Candidate{Built: known}
			r.logOnly = x.constantExcuse(s, old, c)
			return r, true
		}
	}
	return repeat{}, false
}

// constantScore is the overlap of two constants of the same name.
const constantScore = 0.8

func (x *doubles) constantExcuse(s *sessionevents.Segment, old *sessionevents.Symbol, c *constant) string {
	switch {
	case x.measure.OtherPackage(c.Path, old.Path):
		return "they belong to different packages"
	case x.measure.Private(old, c.Path):
		return "the other is private to its file"
	case uses(s, old):
		return "it uses the other, or its file"
	case path.Dir(c.Path) != path.Dir(old.Path) && x.measure.Script(c.Path, ""):
		return runByHand
	}
	return ""
}
