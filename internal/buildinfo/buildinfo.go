// Package buildinfo says which build runs.
package buildinfo

import (
	"runtime/debug"
	"sync"
)

// Build identifies a build: the version of the main module and the revision of the
// repository that it was made from.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // "" where the build does not record one
	Modified bool   `json:"modified,omitempty"` // files differed from the revision
}

// String returns the version, and the start of the revision.
func (b Build) String() string {
	text := b.Version
	if b.Revision != "" {
		text += " (" + b.Revision[:min(len(b.Revision), 12)]
		if b.Modified {
			text += ", modified"
		}
		text += ")"
	}
	return text
}

// Revision is set by the linker (-ldflags "-X …/internal/buildinfo.Revision=SHA") in
// builds that do not record the repository.
var Revision string

// Current returns the build that runs.
var Current = sync.OnceValue(func() Build {
	b := Build{Version: Version(), Revision: Revision}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && b.Revision == "":
			b.Revision = s.Value
		case s.Key == "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
})

// Release is set by the linker in builds of a release, "v1.2.3".
var Release string

// Version returns the release, else the version of the main module, "(devel)" where the
// build does not record one.
func Version() string {
	if Release != "" {
		return Release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
