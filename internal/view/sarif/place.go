package sarif

import (
	"cmp"
	"net/url"
	"strings"

	format "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// root is the base of relative paths.
const root = "%SRCROOT%"

var drive = pattern.Must(`^[A-Za-z]:[\\/]`)

// isFile reports whether path is a file, rather than an address or empty.
func isFile(path string) bool {
	return strings.Trim(path, "/. ") != "" && !strings.Contains(path, "://")
}

// artifact returns a file as a URI: relative to the root, or absolute on this machine.
func artifact(path string) *format.ArtifactLocation {
	a := format.NewArtifactLocation()
	switch {
	case drive.MatchString(path):
		a.URI = pointer((&url.URL{Scheme: "file", Path: "/" + strings.ReplaceAll(path, `\`, "/")}).String())
	case strings.HasPrefix(path, "/"):
		a.URI = pointer((&url.URL{Scheme: "file", Path: path}).String())
	default:
		a.URI, a.URIBaseID = pointer((&url.URL{Path: path}).String()), pointer(root)
	}
	return a
}

// place returns a line of a file, the whole file if the line is not known.
func place(path string, line int, quote string) *format.Location {
	physical := format.NewPhysicalLocation()
	physical.ArtifactLocation = artifact(path)
	if line > 0 {
		physical.Region = format.NewRegion()
		physical.Region.StartLine = pointer(line)
		if quote != "" {
			physical.Region.Snippet = format.NewArtifactContent()
			physical.Region.Snippet.Text = pointer(quote)
		}
	}
	return format.NewLocationWithPhysicalLocation(physical)
}

// places returns where a finding is, and the related and contradicting places.
func places(f finding) (primary *format.Location, related []*format.Location) {
	add := func(l *format.Location, text string) {
		l.ID = len(related) + 1
		l.Message = format.NewTextMessage(text)
		related = append(related, l)
	}
	for _, e := range f.Evidence {
		if isFile(e.Path) {
			if l := place(e.Path, e.Line, e.Quote); primary == nil && e.Path == f.Path {
				primary = l
			} else {
				add(l, "also here")
			}
		}
		if against := e.ConflictsWith; against != nil && isFile(against.Path) {
			add(place(against.Path, against.Line, ""), earlier(against))
		}
	}
	if primary == nil {
		primary = place(f.Path, f.Line, "")
	}
	return primary, related
}

func earlier(e *sessionevents.EarlierEvent) string {
	return cmp.Or(linkless(e.What), "the earlier one")
}
