package researchspiral

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// retrieval is one read, search, listing or fetch of this turn.
type retrieval struct {
	segment int
	kind    sessionevents.AccessKind
	target  string // file, directory or URL
	query   string // without flags
	key     string // what makes two of them equal
	// labels are the names it looks for, in lower case: a file's name without its
	// extension, identifiers of a query.
	labels []string
}

// retrievals returns the turn's successful retrievals, in order.
func (d *instance) retrievals(p *detect.Pass) []retrieval {
	var out []retrieval
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Rejected || s.Proposed || polls(s) || d.failed(p.Turn, i) {
			continue
		}
		for _, a := range s.Accesses {
			if a.Kind != sessionevents.AccessWrite {
				out = append(out, newRetrieval(p, s.Index, a))
			}
		}
	}
	return out
}

// polls reports whether a segment checks on a running process, job or CI, which is
// waiting rather than research.
func polls(s *sessionevents.Segment) bool {
	return s.Tool != nil && (s.Tool.Canonical == sessionevents.ToolPoll || slices.Contains(s.Tool.Effects, "poll"))
}

// idle reports whether the turn only polls or retries what fails, and retrieves nothing
// else.
func (d *instance) idle(p *detect.Pass) bool {
	asks := slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool { return polls(&s) })
	return (asks || d.anyFailed(p)) && len(d.retrievals(p)) == 0
}

// anyFailed reports whether one of the turn's retrievals returned nothing.
func (d *instance) anyFailed(p *detect.Pass) bool {
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; !s.Rejected && !s.Proposed && len(s.Accesses) > 0 && d.failed(p.Turn, i) {
			return true
		}
	}
	return false
}

// failed reports whether the call of segment i returned nothing: it ended in an error, or its short
// answer is a server's refusal. Retrying is not research.
func (d *instance) failed(t *sessionevents.TurnSegmented, i int) bool {
	s := &t.Segments[i]
	if s.Kind != sessionevents.SegmentTool || s.Tool == nil || s.Result == nil {
		return false
	}
	if s.Result.IsError || errorOf(t, i) {
		return true
	}
	fetches := slices.ContainsFunc(s.Accesses, func(a sessionevents.Access) bool { return a.Kind == sessionevents.AccessFetch })
	return fetches && s.Result.Bytes <= d.AnswerBytes && d.Unanswered.MatchString(s.Result.Head)
}

// errorOf reports whether an ERROR follows the call of segment i.
func errorOf(t *sessionevents.TurnSegmented, i int) bool {
	call := t.Segments[i].Tool
	for i++; i < len(t.Segments); i++ {
		s := &t.Segments[i]
		if s.Tool == nil || s.Kind == sessionevents.SegmentTool || s.Tool.CallID != call.CallID || s.Tool.InputHash != call.InputHash {
			return false
		}
		if s.Kind == sessionevents.SegmentError {
			return true
		}
	}
	return false
}

func newRetrieval(p *detect.Pass, segment int, a sessionevents.Access) retrieval {
	r := retrieval{segment: segment, kind: a.Kind, target: p.Before.Path(a.Target), query: plainQuery(a.Query)}
	r.key = string(a.Kind) + "\x00" + r.target + "\x00" + a.Query + "\x00" + strconv.Itoa(a.From) + "-" + strconv.Itoa(a.To)
	names := r.query
	switch {
	case a.Kind == sessionevents.AccessFetch:
		names = r.target + " " + r.query
	case r.query == "":
		r.labels = append(r.labels, label(r.target))
	}
	eachName(names, func(name string, _ bool) { r.labels = append(r.labels, strings.ToLower(name)) })
	return r
}

// plainQuery removes flags, settings and filters from a canonical query: "-i glob=*.go
// retry | head" → "retry". A filter that searches contains what is wanted: "--files | rg
// auth" → "auth".
func plainQuery(query string) string {
	var out []string
	for i, part := range strings.Split(query, " | ") {
		words := strings.Fields(part)
		if i > 0 {
			if len(words) == 0 || words[0] != "rg" && words[0] != "grep" {
				continue
			}
			words = words[1:]
		}
		for _, w := range words {
			name, _, setting := strings.Cut(w, "=")
			if !strings.HasPrefix(w, "-") && (!setting || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "") {
				out = append(out, w)
			}
		}
	}
	return strings.Join(out, " ")
}

// label returns a file's name as code refers to it: "src/auth.py" → "auth".
func label(target string) string {
	base := path.Base(target)
	if at := strings.IndexByte(base, '.'); at > 0 {
		base = base[:at]
	}
	return strings.ToLower(base)
}

// folder returns the directory that a retrieval reads from.
func (r *retrieval) folder() string {
	if r.kind == sessionevents.AccessRead {
		return path.Dir(r.target)
	}
	return r.target
}

// name returns how a message refers to it.
func (r *retrieval) name() string {
	name := path.Base(r.target)
	if r.query != "" && r.kind == sessionevents.AccessSearch {
		name = r.query
	}
	return text.Line(text.Short(name, 41))
}

// terms returns the stems of what it looks for, without general words.
func (d *instance) terms(r *retrieval) []string {
	text := r.query
	if text == "" || r.kind == sessionevents.AccessFetch {
		text = path.Base(r.target) + " " + text
	}
	return slices.DeleteFunc(prose.Terms(text), func(w string) bool { return d.general[w] })
}
