package hardcodedsecret

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is B1's state of a session. It is bounded by the rule data.
type memory struct {
	// Known are secrets that a file has contained; they are not new there.
	Known []knownSecret `json:"known,omitempty"`
	// Ignored are lines added to .gitignore.
	Ignored []string `json:"ignored,omitempty"`
	// FlagTurn is the last turn whose plan contained RF06 or RF07, 0 for none.
	FlagTurn int `json:"flag_turn,omitempty"`
}

type knownSecret struct {
	Path        string `json:"p"`
	Fingerprint string `json:"f"`
}

func (m *memory) knows(path, fingerprint string) bool {
	return slices.ContainsFunc(m.Known, func(k knownSecret) bool {
		return k.Fingerprint == fingerprint && registry.SameFile(k.Path, path)
	})
}

// remember adds a secret of a file and drops the oldest beyond the limit.
func (m *memory) remember(path, fingerprint string, limit int) {
	if !m.knows(path, fingerprint) {
		m.Known = text.Newest(append(m.Known, knownSecret{path, fingerprint}), limit)
	}
}

// forgetRemoved drops the secrets that a turn removes from a file without adding them
// again: if they are added later, they are new.
func (m *memory) forgetRemoved(t *sessionevents.TurnSegmented) {
	for i := range t.Segments {
		s := &t.Segments[i]
		if !detect.Applied(s) {
			continue
		}
		gone := map[string]bool{}
		for _, line := range s.Diff.Removed() {
			for _, marker := range redact.Markers(line.Text) {
				gone[marker.Fingerprint] = true
			}
		}
		for fingerprint := range gone {
			gone[fingerprint] = !puts(t, s.Path, fingerprint)
		}
		m.Known = slices.DeleteFunc(m.Known, func(k knownSecret) bool {
			return registry.SameFile(k.Path, s.Path) && (gone[k.Fingerprint] || s.Diff.Op == sessionevents.DiffDelete)
		})
	}
}

// puts reports whether the turn adds the secret to the file.
func puts(t *sessionevents.TurnSegmented, file, fingerprint string) bool {
	wanted := map[string]bool{fingerprint: true}
	for i := range t.Segments {
		if s := &t.Segments[i]; detect.Written(s) && s.Path == file && len(held(s.Diff.Added(), wanted)) > 0 {
			return true
		}
	}
	return false
}

// learn records the secrets in what a turn read: they are not new in their files.
func (d *instance) learn(m *memory, t *sessionevents.TurnSegmented) {
	for _, s := range t.Secrets {
		if s.Path != "" && s.Pointer == "output" {
			m.remember(s.Path, s.Fingerprint, d.Remembered)
		}
	}
}

// learnIgnored records the lines of .gitignore that a turn adds or shows.
func (d *instance) learnIgnored(m *memory, t *sessionevents.TurnSegmented) {
	for i := range t.Segments {
		s := &t.Segments[i]
		switch {
		case s.Diff != nil && path.Base(s.Path) == ".gitignore" && detect.Written(s):
			for _, line := range s.Diff.Added() {
				d.ignore(m, line.Text)
			}
		case s.Result != nil && !s.Result.IsError && len(s.Accesses) == 1 &&
			s.Accesses[0].Kind == sessionevents.AccessRead && path.Base(s.Accesses[0].Target) == ".gitignore":
			for _, line := range strings.Split(s.Result.Head, "\n") {
				d.ignore(m, lineNumber.ReplaceAllString(line, ""))
			}
		}
	}
}

// lineNumber matches the line number that read tools print.
var lineNumber = pattern.Must(`^\s*\d+(?:\t|→|: )`)

func (d *instance) ignore(m *memory, line string) {
	text := strings.TrimPrefix(strings.Trim(strings.TrimSpace(line), "/"), "**/")
	if text == "" || text[0] == '#' || text[0] == '!' || slices.Contains(m.Ignored, text) || len(m.Ignored) >= d.config.Ignored {
		return
	}
	m.Ignored = append(m.Ignored, text)
}

// ignores reports whether a .gitignore line that the session saw covers the file or one of its
// folders.
func (m *memory) ignores(file string) bool {
	return slices.ContainsFunc(m.Ignored, func(pattern string) bool {
		for at := file; at != "." && at != "/" && at != ""; at = path.Dir(at) {
			if ok, err := path.Match(pattern, path.Base(at)); err == nil && ok || at == pattern || strings.HasSuffix(at, "/"+pattern) {
				return true
			}
		}
		return false
	})
}
