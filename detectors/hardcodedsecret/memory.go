package hardcodedsecret

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// memory is what B1 keeps of a session. It is bounded by the rule data.
type memory struct {
	// Known are secrets that a file has held; they are not new there.
	Known []knownSecret `json:"known,omitempty"`
	// Ignored are lines added to .gitignore.
	Ignored []string `json:"ignored,omitempty"`
	// FlagTurn is the last turn whose plan held RF06 or RF07, 0 for none.
	FlagTurn int `json:"flag_turn,omitempty"`
}

type knownSecret struct {
	Path        string `json:"p"`
	Fingerprint string `json:"f"`
}

func (m *memory) knows(path, fingerprint string) bool {
	return slices.ContainsFunc(m.Known, func(k knownSecret) bool {
		return k.Fingerprint == fingerprint && samePath(k.Path, path)
	})
}

// samePath compares paths of which either may be relative to the workspace.
func samePath(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// remember adds a secret of a file; the oldest leaves first.
func (m *memory) remember(path, fingerprint string, limit int) {
	if m.knows(path, fingerprint) {
		return
	}
	m.Known = append(m.Known, knownSecret{path, fingerprint})
	if extra := len(m.Known) - limit; extra > 0 {
		m.Known = slices.Delete(m.Known, 0, extra)
	}
}

// learn keeps what a turn showed: secrets in what was read, lines of .gitignore.
func (d *instance) learn(m *memory, t *events.TurnSegmented) {
	for _, s := range t.Secrets {
		if s.Path != "" && s.Pointer == "output" {
			m.remember(s.Path, s.Fingerprint, d.Remembered)
		}
	}
	for i := range t.Segments {
		s := &t.Segments[i]
		if s.Diff == nil || path.Base(s.Path) != ".gitignore" {
			continue
		}
		for _, line := range s.Diff.Added() {
			if text := strings.Trim(strings.TrimSpace(line.Text), "/"); text != "" && text[0] != '#' && !slices.Contains(m.Ignored, text) && len(m.Ignored) < d.config.Ignored {
				m.Ignored = append(m.Ignored, text)
			}
		}
	}
}

// ignores reports whether this session put the file into .gitignore.
func (m *memory) ignores(file string) bool {
	for _, pattern := range m.Ignored {
		if ok, err := path.Match(pattern, path.Base(file)); err == nil && ok || file == pattern || strings.HasSuffix(file, "/"+pattern) {
			return true
		}
	}
	return false
}
