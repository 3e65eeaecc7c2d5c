package transcript

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
)

const (
	// maxLooked limits how many transcripts are opened to find one of a folder.
	maxLooked = 60
	// leastLetters is the length of a beginning of an id that names a session.
	leastLetters = 4
)

// Of returns the transcript of the session whose id begins with some letters, "" if there is none or more
// than one. Agents name the file after the session, some with the time before it.
func Of(id string) string {
	home, err := os.UserHomeDir()
	if err != nil || len(id) < leastLetters {
		return ""
	}
	list, err := transcripts.Latest(home, os.Getenv)
	if err != nil {
		return ""
	}
	found := ""
	for _, known := range list {
		name := filepath.Base(known.Path)
		if !strings.HasPrefix(name, id) && !strings.Contains(name, "-"+id) {
			continue
		}
		if found != "" {
			return ""
		}
		found = known.Path
	}
	return found
}

// LastIn returns the transcript of the last session of an agent in a folder or below it, "" if none of the
// latest is there.
func LastIn(folder string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	list, err := transcripts.Latest(home, os.Getenv)
	if err != nil {
		return ""
	}
	for _, known := range list[:min(maxLooked, len(list))] {
		if opened := known.Opening(); opened != nil && within(opened.Workspace, folder) {
			return known.Path
		}
	}
	return ""
}

// within reports whether a workspace is a folder or below it.
func within(workspace, folder string) bool {
	if workspace == "" {
		return false
	}
	relative, err := filepath.Rel(folder, workspace)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}
