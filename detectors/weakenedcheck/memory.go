package weakenedcheck

import (
	"iter"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
)

// memory is what the session's checks said and its edits were about.
type memory struct {
	Failures   []failure      `json:"f,omitempty"`
	Files      []testFile     `json:"t,omitempty"` // oldest first
	Names      map[string]int `json:"n,omitempty"` // in edits of the code, with their newest turn
	Gone       map[string]int `json:"g,omitempty"` // only in what edits of the code removed
	Added      []string       `json:"a,omitempty"` // keys of assertions added lately
	Thresholds []threshold    `json:"h,omitempty"` // of settings, oldest first
	Unmarked   []string       `json:"u,omitempty"` // lines with a mark that an edit removed, with their file
	Edited     int            `json:"e,omitempty"` // the newest turn that edited the code itself
	Said       []string       `json:"s,omitempty"` // what was reported
	Changed    []string       `json:"c,omitempty"` // what was changed into what, to know it when it is undone
}

// failure is a check that failed.
type failure struct {
	Turn  int      `json:"n"`
	Lint  bool     `json:"l,omitempty"` // a linter, type checker or hook, not a test
	Names []string `json:"w,omitempty"` // of failed tests
	Of    []string `json:"o,omitempty"` // the files that the command named
	Text  string   `json:"x,omitempty"` // what it printed, shortened
}

// testFile is what is known of a test file.
type testFile struct {
	Path       string                `json:"p"`
	Own        bool                  `json:"o,omitempty"` // this session created it
	OwnTests   []string              `json:"w,omitempty"` // tests this session added
	Tests      []string              `json:"t,omitempty"`
	Assertions []assertion.Assertion `json:"a,omitempty"`
}

func (m *memory) file(path string) *testFile {
	i := slices.IndexFunc(m.Files, func(f testFile) bool { return registry.SameFile(f.Path, path) })
	if i < 0 {
		return nil
	}
	return &m.Files[i]
}

// keep is the entry of a file, made where there is none.
func (m *memory) keep(path string, limit int) *testFile {
	if f := m.file(path); f != nil {
		return f
	}
	if len(m.Files) >= limit {
		m.Files = slices.Delete(m.Files, 0, len(m.Files)-limit+1)
	}
	m.Files = append(m.Files, testFile{Path: path})
	return &m.Files[len(m.Files)-1]
}

// own reports whether a test was written by this session.
func (m *memory) own(path, test string) bool {
	f := m.file(path)
	return f != nil && (f.Own || test != "" && slices.Contains(f.OwnTests, test))
}

// learn adds the names in an edit of the code to a set of them.
func learn(set map[string]int, text string, turn, limit int, common map[string]bool) map[string]int {
	if set == nil {
		set = map[string]int{}
	}
	for name := range eachName(text) {
		if !common[name] {
			learnOne(set, name, turn, limit)
		}
	}
	return set
}

func learnOne(set map[string]int, name string, turn, limit int) {
	if _, known := set[name]; known || len(set) < limit {
		set[name] = turn
	}
}

// eachName yields the words of a text that could name something, in lower case.
func eachName(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(text, notName) {
			w = strings.ToLower(strings.Trim(w, "_"))
			if len(w) >= 3 && len(w) <= 60 && !yield(w) {
				return
			}
		}
	}
}

func notName(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
}
