package wave

import (
	"path"
	"slices"
	"strings"
)

// table indexes the files that one agent owns, so that they can be compared with another
// agent's in one pass: plans with thousands of files are compared at every question to
// the gate.
type table struct {
	entries  []string
	names    map[string]bool // entries that are a single path
	above    map[string]bool // all parent folders of the names
	patterns []string        // entries that may cover more than their path and its contents
}

func (c *Config) tableOf(agent *Agent) table {
	t := table{names: map[string]bool{}, above: map[string]bool{}}
	for _, entry := range agent.Owns {
		if c.shared(entry) {
			continue
		}
		t.entries = append(t.entries, entry)
		if isPattern(entry) {
			t.patterns = append(t.patterns, entry)
			continue
		}
		name := strings.TrimSuffix(entry, "/")
		t.names[name] = true
		for folder := path.Dir(name); !t.above[folder]; folder = path.Dir(folder) {
			t.above[folder] = true
		}
	}
	return t
}

// apart reports whether no path of one agent equals or contains a path of another. It
// needs one lookup per entry for a sound plan; patterns need more.
func apart(agents []*Agent) bool {
	owner := map[string]int{}
	for i, agent := range agents {
		for _, entry := range agent.Owns {
			if isPattern(entry) {
				return false
			}
			name := strings.TrimSuffix(entry, "/")
			if j, taken := owner[name]; taken && j != i {
				return false
			}
			owner[name] = i
		}
	}
	for i, agent := range agents {
		for _, entry := range agent.Owns {
			for folder := path.Dir(entry); folder != "." && folder != "/"; folder = path.Dir(folder) {
				if j, taken := owner[folder]; taken && j != i {
					return false
				}
			}
		}
	}
	return true
}

// isPattern reports whether an entry must be compared with every other one.
func isPattern(entry string) bool { return everything(entry) || strings.ContainsAny(entry, `*?[\`) }

// everything reports whether an entry owns the whole repository.
func everything(entry string) bool { return slices.Contains([]string{".", "./", "/", "**"}, entry) }

// common returns the first paths that two agents both own, at most most of them.
func (t table) common(other table, most int) []string {
	var out []string
	for _, entry := range t.entries {
		if len(out) < most && other.meets(entry) {
			i := slices.IndexFunc(other.entries, func(with string) bool { return overlap(entry, with) })
			out = append(out, longer(entry, other.entries[i]))
		}
	}
	return out
}

// meets reports whether an entry of the table covers a path that this entry covers.
func (t table) meets(entry string) bool {
	with := func(other string) bool { return overlap(entry, other) }
	if isPattern(entry) {
		return slices.ContainsFunc(t.entries, with)
	}
	name := strings.TrimSuffix(entry, "/")
	if t.names[name] || t.above[name] {
		return true
	}
	for folder := path.Dir(name); folder != "." && folder != "/"; folder = path.Dir(folder) {
		if t.names[folder] {
			return true
		}
	}
	return slices.ContainsFunc(t.patterns, with)
}

// overlap reports whether two entries of ownership tables cover a file in common.
func overlap(one, other string) bool { return owns(one, other) || owns(other, one) }

// longer returns the more specific one of two overlapping entries.
func longer(one, other string) string {
	if len(other) > len(one) && !strings.Contains(other, "*") {
		return other
	}
	return one
}
