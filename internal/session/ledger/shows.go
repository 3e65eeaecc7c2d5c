package ledger

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// shows records what a call shows or changes besides its checks: a log of the failure, a
// test that a command writes, and what tests use outside the code.
func (d checkReader) shows(s *sessionevents.Segment, at Place) {
	command := s.Tool.Command
	if d.c.Beyond.MatchString(command) && !d.failed(s) {
		d.l.Beyond = at
	}
	if slices.ContainsFunc(s.Accesses, func(a sessionevents.Access) bool {
		return a.Kind == sessionevents.AccessWrite && d.c.isTest(a.Target)
	}) {
		d.l.TestedIn = at
	}
	if d.c.Probes.MatchString(command) && !d.failed(s) {
		d.l.Seen = at
	}
	if s.Result == nil || !d.c.Records.MatchString(command) && !slices.ContainsFunc(s.Accesses, func(a sessionevents.Access) bool { return d.c.Records.MatchString(a.Target) }) {
		return
	}
	if text := s.Result.Head + "\n" + s.Result.Tail; d.c.section.Troubles.MatchString(text) || d.c.Reports.MatchString(text) {
		d.l.Seen = at
	}
}

// names reports whether an output names a file that the session changed.
func (d checkReader) names(r *sessionevents.ResultDigest) bool {
	return r != nil && slices.ContainsFunc(d.l.Files, func(f File) bool {
		return f.Kind != sessionevents.MutationDocuments && strings.Contains(r.Head+"\n"+r.Tail, path.Base(f.Path)+":")
	})
}
