package main

import (
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
)

// surroundings are the flags by which sessions learn of their codebase.
type surroundings struct {
	Index       string `help:"Index of the codebase, from \"scaffoldwatch index\"." type:"path" placeholder:"FILE"`
	NoWorkspace bool   `help:"Do not read .scaffoldwatch.yaml of workspaces on this machine."`
}

// opener reads what the flags name.
func (s surroundings) opener() (*workspace.Opener, error) {
	opener, err := workspace.NewOpener(s.Index, !s.NoWorkspace)
	if err != nil {
		return nil, usageError{err}
	}
	return opener, nil
}

// describeNotes says which workspaces' files could not be used.
func describeNotes(out io.Writer, opener *workspace.Opener) {
	for _, note := range opener.Notes() {
		fmt.Fprintln(out, "scaffoldwatch:", terminal.Clean(note))
	}
}
