package detect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// quoted returns a text of a finding with the paths it rests on written as [quote.Path]
// writes them. Detectors quote what they name, and this is a second safeguard (DP-20).
func quoted(text string, f *Finding) string {
	var paths []string
	for _, e := range f.Evidence {
		paths = append(paths, e.Path)
		if e.ConflictsWith != nil {
			paths = append(paths, e.ConflictsWith.Path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, path := range slices.Compact(paths) {
		if safe := quote.Path(path); safe != path && strings.ContainsRune(path, '/') {
			text = strings.ReplaceAll(strings.ReplaceAll(text, safe, path), path, safe) // once, even if it is already quoted
		}
	}
	return quote.Line(text)
}
