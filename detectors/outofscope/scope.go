package outofscope

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// readScope determines whether the scope is limited, once each time it is extended
// (SW-14). A plan that was approved is not part of the stored scope, which is unknown
// from then on.
func (w *watch) readScope() {
	b, m := w.baseline, w.memory
	for i := range w.pass.Turn.Segments {
		if s := &w.pass.Turn.Segments[i]; s.Kind == sessionevents.SegmentUser && w.person.Consents(s.Text) || asks(s) {
			m.Open, m.Version, m.Broad = "a plan was approved", -1, false
		}
	}
	version := 1 + len(b.Requests) + b.Evicted + len(b.Constraints) + len(b.Terms)
	if m.Version == version || m.Version < 0 {
		return
	}
	m.Version, m.Silent, m.Open = version, w.whySilent(), w.whyOpen()
	m.Broad = m.Open == scopeBroad || m.Open == scopeShort
}

// asks reports whether a person answered a question, or accepted a plan, worded by the
// agent.
func asks(s *sessionevents.Segment) bool {
	return s.Tool != nil && s.Tool.Canonical == sessionevents.ToolAsk && !s.Rejected
}

// task is what the user asked for, and what was read before the turn.
type task struct {
	*instance
	baseline *registry.Baseline
	before   *registry.Registry
}

// whySilent returns why D1 is silent: the task is unknown, or it asks for what D1
// reports.
func (t *task) whySilent() string {
	if !t.baseline.Known {
		return "no scope is known"
	}
	if slices.ContainsFunc(t.messages(), t.Cleanup.MatchString) {
		return "the user asked for a cleanup"
	}
	return ""
}

// messages returns the stored messages of the user.
func (t *task) messages() []string {
	texts := append([]string{t.baseline.Task}, t.baseline.Constraints...)
	for _, r := range t.baseline.Requests {
		texts = append(texts, r.Text)
	}
	return texts
}

// Reasons for an open scope in which an announced cleanup is still not part of the task.
const (
	scopeBroad = "the scope is open or kept elsewhere"
	scopeShort = "the scope says too little"
)

// whyOpen returns why the task does not limit its scope.
func (t *task) whyOpen() string {
	b := t.baseline
	if b.Evicted > 0 {
		return "the scope is too long to be held"
	}
	if slices.ContainsFunc(t.messages(), t.OpenScope.MatchString) {
		return scopeBroad
	}
	specific := 0
	for term := range b.Terms {
		if !t.general[term] {
			specific++
		}
	}
	if specific < t.MinTerms {
		return scopeShort
	}
	return ""
}

// inTask reports whether a text contains a term of the task that is not general.
func (t *task) inTask(text string) bool { return t.termsIn(text) > 0 }

// termsIn returns the number of the task's terms in a text that are not general.
func (t *task) termsIn(text string) (n int) {
	for _, term := range prose.Terms(text) {
		if _, said := t.baseline.Terms[term]; said && !t.general[term] {
			n++
		}
	}
	return n
}

// linesInTask reports whether a text is about the task; a long task shares some word with
// any code, so it requires more.
func (t *task) linesInTask(text string) bool {
	return t.termsIn(text) > len(t.baseline.Terms)/t.TermsPerHit
}

// pathInTask reports whether a file's name, or a folder that distinguishes it from the
// other files read, contains a term of the task.
func (t *task) pathInTask(file string) bool {
	if t.inTask(strings.TrimSuffix(path.Base(file), path.Ext(file))) {
		return true
	}
	for folder := range strings.SplitSeq(path.Dir(file), "/") {
		if t.inTask(folder) && t.distinctive(folder) {
			return true
		}
	}
	return false
}

// distinctive reports whether most of the files read are outside folders of that name.
func (t *task) distinctive(folder string) bool {
	reads := t.before.FilesRead()
	in := 0
	for i := range reads {
		if strings.Contains("/"+reads[i].Path, "/"+folder+"/") {
			in++
		}
	}
	return len(reads) < t.Common.Least || float64(in) <= t.Common.Share*float64(len(reads))
}

// named reports whether the user named the file or one of its folders.
func (t *task) named(file string) bool {
	for _, said := range t.baseline.Paths {
		said = strings.TrimPrefix(path.Clean(said), "./")
		if file == said || strings.HasSuffix(file, "/"+said) || strings.HasSuffix(said, "/"+file) ||
			strings.HasPrefix(file, said+"/") || strings.Contains(file, "/"+said+"/") {
			return true
		}
	}
	return false
}

// neutral reports whether a file has no bearing on scope: tests, docs, manifests,
// generated files.
func (d *instance) neutral(file string) bool {
	lower := strings.ToLower(file)
	base := path.Base(lower)
	if d.NeutralFiles[base] || strings.HasPrefix(base, ".") || d.files.Is(file, files.AnyTest) || d.Beside.MatchString(lower) {
		return true
	}
	for _, suffix := range d.NeutralSuffixes {
		if strings.HasSuffix(base, suffix) {
			return true
		}
	}
	if strings.HasPrefix(lower, "/tmp/") || strings.HasPrefix(lower, "~") {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(lower), "/") {
		if d.NeutralPaths[part] {
			return true
		}
	}
	return false
}
