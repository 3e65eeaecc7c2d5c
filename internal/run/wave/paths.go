package wave

import (
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// cleaned returns a path in canonical form, "" for an invalid one.
func (c *Config) cleaned(file string) string {
	file = strings.ReplaceAll(strings.TrimSpace(file), `\`, "/")
	if file == "" || len(file) > c.Kept.PathBytes {
		return ""
	}
	folder := strings.HasSuffix(file, "/")
	file = path.Clean(file)
	if folder && file != "/" {
		return file + "/"
	}
	return file
}

// matches reports whether a file matches one of the patterns: path.Match of the whole
// path or its last part, or dir/**.
func matches(patterns []string, file string) bool {
	for _, pattern := range patterns {
		if folder, whole := strings.CutSuffix(pattern, "/**"); whole {
			if strings.HasPrefix(file, folder+"/") || strings.Contains(file, "/"+folder+"/") {
				return true
			}
			continue
		}
		if fits(pattern, file) || fits(pattern, path.Base(file)) {
			return true
		}
	}
	return false
}

func fits(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return err == nil && ok
}

// owns reports whether an entry of an ownership table covers a file: the file
// itself, a folder, dir/** or a pattern.
func owns(entry, file string) bool {
	if entry == file || everything(entry) {
		return true
	}
	if folder, whole := strings.CutSuffix(entry, "/**"); whole {
		return strings.HasPrefix(file, folder+"/")
	}
	return strings.HasPrefix(file, strings.TrimSuffix(entry, "/")+"/") || fits(entry, file)
}

// shared reports whether several agents may append to a file (E12, E14).
func (c *Config) shared(file string) bool {
	return matches(c.SharedFiles, file) || matches(c.PlanDocuments, file)
}

// source returns the files that count as source code for the separation of roles
// (WP-12).
func (c *Config) source(files []string) []string {
	var out []string
	for _, file := range files {
		if file = c.cleaned(file); file != "" && !matches(c.NotSource, file) && !matches(c.PlanDocuments, file) {
			out = append(out, file)
		}
	}
	return out
}

// at returns references to files in the current event.
func (r record) at(files []string) []runevents.Reference {
	var out []runevents.Reference
	for _, file := range files[:min(len(files), r.config.Kept.References)] {
		out = append(out, runevents.Reference{Event: r.Event.ID, Path: file})
	}
	return out
}

// phrase joins the first few words in a phrase such as "a, b and c".
func phrase(words []string) string {
	const shown = 6
	if len(words) > shown {
		return strings.Join(mentioned(words[:shown]), ", ") + " and more"
	}
	return enumerated(words)
}

// enumerated joins all words in a phrase such as "a, b and c".
func enumerated(words []string) string {
	words = mentioned(words)
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// mentioned returns the names of files, agents and the like, quoted for a text.
func mentioned(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quote.Path(name)
	}
	return out
}
