package main

import (
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// surroundings are the flags by which sessions learn of their codebase.
type surroundings struct {
	Index       string `help:"Index of the codebase, made by scaffoldwatch index." type:"path" placeholder:"FILE"`
	NoWorkspace bool   `help:"Do not read .scaffoldwatch.yaml of workspaces that are on this machine."`
}

// opener reads what the flags name.
func (s surroundings) opener() (*app.Opener, error) {
	opener, err := app.NewOpener(s.Index, !s.NoWorkspace)
	if err != nil {
		return nil, usageError{err}
	}
	return opener, nil
}

// describeNotes says which workspaces' files could not be used.
func describeNotes(out io.Writer, opener *app.Opener) {
	for _, note := range opener.Notes() {
		fmt.Fprintln(out, "scaffoldwatch:", terminal.Clean(note))
	}
}
