package diff

import (
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	patchBegin  = "*** Begin Patch"
	patchEnd    = "*** End Patch"
	patchAdd    = "*** Add File: "
	patchUpdate = "*** Update File: "
	patchDelete = "*** Delete File: "
	patchMove   = "*** Move to: "
	patchEOF    = "*** End of File"
)

// LooksApplyPatch reports whether text contains an apply_patch envelope or one of its
// file sections.
func LooksApplyPatch(text string) bool {
	return strings.Contains(text, patchBegin) || atLineStart(text, patchAdd) ||
		atLineStart(text, patchUpdate) || atLineStart(text, patchDelete)
}

// ApplyPatch reads the apply_patch format (`*** Begin Patch` …): add, update, delete and
// move. Its hunks carry no line numbers, except that an added file begins at line 1. A
// missing end mark is tolerated; text outside sections is skipped.
func ApplyPatch(text string) []sessionevents.FilePatch {
	var p patchReader
	for line := range strings.Lines(text) {
		if !p.line(strings.TrimRight(line, "\r\n")) {
			break
		}
	}
	p.endFile()
	return p.files
}

// patchReader holds the open file section and hunk.
type patchReader struct {
	files []sessionevents.FilePatch
	file  *sessionevents.FilePatch
	hunk  []string
}

// line handles one line and reports whether to continue.
func (p *patchReader) line(line string) bool {
	if path, ok := strings.CutPrefix(line, patchAdd); ok {
		p.beginFile(path, sessionevents.DiffCreate)
	} else if path, ok := strings.CutPrefix(line, patchUpdate); ok {
		p.beginFile(path, sessionevents.DiffUpdate)
	} else if path, ok := strings.CutPrefix(line, patchDelete); ok {
		p.beginFile(path, sessionevents.DiffDelete)
	} else if p.file == nil {
		return true
	} else if path, ok := strings.CutPrefix(line, patchMove); ok {
		p.file.Op, p.file.OldPath, p.file.Path = sessionevents.DiffRename, p.file.Path, strings.TrimSpace(path)
	} else if strings.TrimSpace(line) == patchEnd {
		p.endFile()
		return false
	} else if strings.HasPrefix(line, patchEOF) {
		return true
	} else if strings.HasPrefix(line, "@@") {
		p.endHunk()
	} else {
		p.body(line)
	}
	return true
}

func (p *patchReader) body(line string) {
	if p.file.Op == sessionevents.DiffDelete {
		return
	}
	if line == "" || !strings.ContainsRune("+- ", rune(line[0])) {
		if p.file.Op == sessionevents.DiffCreate {
			line = "+" + line // models forget the mark in added files
		} else {
			line = " " + line
		}
	}
	p.hunk = append(p.hunk, line)
}

func (p *patchReader) beginFile(path string, op sessionevents.DiffOperation) {
	p.endFile()
	p.file = &sessionevents.FilePatch{Path: strings.TrimSpace(path), Op: op}
}

func (p *patchReader) endHunk() {
	if len(p.hunk) == 0 {
		return
	}
	h := sessionevents.Hunk{Lines: p.hunk}
	if p.file.Op == sessionevents.DiffCreate {
		h.NewStart = 1
	}
	p.file.Hunks = append(p.file.Hunks, h)
	p.hunk = nil
}

func (p *patchReader) endFile() {
	if p.file == nil {
		return
	}
	p.endHunk()
	p.files = append(p.files, *p.file)
	p.file = nil
}
