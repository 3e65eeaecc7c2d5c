package outofscope

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
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

// whySilent returns why D1 is silent: the task is unknown, or it asks for what D1
// reports.
func (w *watch) whySilent() string {
	if !w.baseline.Known {
		return "no scope is known"
	}
	if slices.ContainsFunc(w.messages(), w.Cleanup.MatchString) {
		return "the user asked for a cleanup"
	}
	return ""
}

// messages returns the stored messages of the user.
func (w *watch) messages() []string {
	texts := append([]string{w.baseline.Task}, w.baseline.Constraints...)
	for _, r := range w.baseline.Requests {
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
func (w *watch) whyOpen() string {
	b := w.baseline
	if b.Evicted > 0 {
		return "the scope is too long to be held"
	}
	if slices.ContainsFunc(w.messages(), w.OpenScope.MatchString) {
		return scopeBroad
	}
	specific := 0
	for term := range b.Terms {
		if !w.general[term] {
			specific++
		}
	}
	if specific < w.MinTerms {
		return scopeShort
	}
	return ""
}

// inTask reports whether a text contains a term of the task that is not general.
func (w *watch) inTask(text string) bool { return w.termsIn(text) > 0 }

// termsIn returns the number of the task's terms in a text that are not general.
func (w *watch) termsIn(text string) (n int) {
	for _, term := range prose.Terms(text) {
		if _, said := w.baseline.Terms[term]; said && !w.general[term] {
			n++
		}
	}
	return n
}

// linesInTask reports whether a text is about the task; a long task shares some word with
// any code, so it requires more.
func (w *watch) linesInTask(text string) bool {
	return w.termsIn(text) > len(w.baseline.Terms)/w.TermsPerHit
}

// pathInTask reports whether a file's name, or a folder that distinguishes it from the
// other files read, contains a term of the task.
func (w *watch) pathInTask(file string) bool {
	if w.inTask(strings.TrimSuffix(path.Base(file), path.Ext(file))) {
		return true
	}
	for folder := range strings.SplitSeq(path.Dir(file), "/") {
		if w.inTask(folder) && w.distinctive(folder) {
			return true
		}
	}
	return false
}

// distinctive reports whether most of the files read are outside folders of that name.
func (w *watch) distinctive(folder string) bool {
	reads := w.pass.Before.FilesRead()
	in := 0
	for i := range reads {
		if strings.Contains("/"+reads[i].Path, "/"+folder+"/") {
			in++
		}
	}
	return len(reads) < w.Common.Least || float64(in) <= w.Common.Share*float64(len(reads))
}

// named reports whether the user named the file or one of its folders.
func (w *watch) named(file string) bool {
	for _, said := range w.baseline.Paths {
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
func (w *watch) neutral(file string) bool {
	lower := strings.ToLower(file)
	base := path.Base(lower)
	if w.NeutralFiles[base] || strings.HasPrefix(base, ".") || w.files.Is(file, files.AnyTest) || w.Beside.MatchString(lower) {
		return true
	}
	for _, suffix := range w.NeutralSuffixes {
		if strings.HasSuffix(base, suffix) {
			return true
		}
	}
	if strings.HasPrefix(lower, "/tmp/") || strings.HasPrefix(lower, "~") {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(lower), "/") {
		if w.NeutralPaths[part] {
			return true
		}
	}
	return false
}
