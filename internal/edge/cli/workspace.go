package cli

import (
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
)

// Surroundings holds the flags that describe a session's codebase.
type Surroundings struct {
	Index       string `help:"Index of the codebase, from \"scaffoldwatch index\"." type:"path" placeholder:"FILE"`
	NoWorkspace bool   `help:"Do not inspect workspaces on this machine: neither .scaffoldwatch.yaml nor files and Git."`
}

// Opener reads the files that the flags name.
func (s Surroundings) Opener() (*workspace.Opener, error) {
	opener, err := workspace.NewOpener(s.Index, !s.NoWorkspace)
	if err != nil {
		return nil, Usage(err)
	}
	return opener, nil
}

// DescribeNotes reports the workspaces whose files could not be used.
func DescribeNotes(out io.Writer, opener *workspace.Opener) {
	for _, note := range opener.Notes() {
		fmt.Fprintln(out, "scaffoldwatch:", terminal.Clean(note))
	}
}
