package guard

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// shown returns a path as a person reads it: relative to the workspace, or from their home; of two things of one
// name it must be clear which is meant.
func shown(t trial, name string) string {
	workspace := root(t.facts, cmp.Or(t.e.At, name))
	for _, from := range []struct{ folder, written string }{{workspace, ""}, {t.facts.Home(), "~/"}} {
		if below, is := strings.CutPrefix(name, from.folder+"/"); is && from.folder != "" {
			return quote.Path(from.written + below)
		}
	}
	return quote.Path(name)
}

// listing lists some files and their owners.
func listing(t trial, files []WorkFile) string {
	var out []string
	for _, f := range files[:min(len(files), t.config.Named)] {
		whose := ""
		switch {
		case f.Own:
		case f.Session != "":
			whose = " of session " + quote.Words(f.Session, 1)
		case f.Before:
			whose = " of the person"
		default:
			whose = " of an unknown author"
		}
		out = append(out, shown(t, f.Path)+whose)
	}
	if more := len(files) - len(out); more > 0 {
		out = append(out, strconv.Itoa(more)+" more")
	}
	return strings.Join(out, ", ")
}
