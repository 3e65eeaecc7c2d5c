package weakenedcheck

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
)

// memory is what the session's checks said and its edits were about.
type memory struct {
	Failures   []failure   `json:"f,omitempty"`
	Files      []testFile  `json:"t,omitempty"` // oldest first
	Names      names       `json:"n,omitempty"` // in edits of the code
	Gone       names       `json:"g,omitempty"` // only in what edits of the code removed
	Added      []string    `json:"a,omitempty"` // keys of assertions added lately
	Thresholds []threshold `json:"h,omitempty"` // of settings, oldest first
	Unmarked   []string    `json:"u,omitempty"` // lines with a mark that an edit removed, with their file
	Edited     int         `json:"e,omitempty"` // the newest turn that edited the code itself
	Said       []string    `json:"s,omitempty"` // what was reported
	Changed    []string    `json:"c,omitempty"` // what was changed into what, to know it when it is undone
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

// names is a set of names, in JSON in order.
type names map[string]struct{}

// MarshalJSON implements json.Marshaler.
func (n names) MarshalJSON() ([]byte, error) { return json.Marshal(slices.Sorted(maps.Keys(n))) }

// UnmarshalJSON implements json.Unmarshaler.
func (n *names) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*n = make(names, len(list))
	for _, name := range list {
		(*n)[name] = struct{}{}
	}
	return nil
}

func (n names) has(name string) bool { _, has := n[name]; return has }

// learn adds the names in a text that are not common, while there is space.
func (n *names) learn(text string, limit int, common map[string]bool) {
	for name := range eachName(text) {
		if !common[name] && name[0] > '9' {
			n.add(name, limit)
		}
	}
}

func (n *names) add(name string, limit int) {
	if *n == nil {
		*n = names{}
	}
	if len(*n) < limit {
		(*n)[name] = struct{}{}
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
