// Package patch parses the edits that harnesses record, as unified diffs, into the hunks of the contract
// with their real line numbers.
package patch

import (
	"cmp"
	"strings"

	"github.com/sourcegraph/go-diff/diff"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Hunks parses the hunks of one file's unified diff; lines before the first "@@" are skipped. It returns
// what could be parsed, nil if nothing could.
func Hunks(unified string) []sessionevents.Hunk {
	if !strings.HasPrefix(unified, "@@") {
		at := strings.Index(unified, "\n@@")
		if at < 0 {
			return nil
		}
		unified = unified[at+1:]
	}
	parsed, _ := diff.ParseHunks([]byte(unified)) // what precedes an error counts
	hunks := make([]sessionevents.Hunk, 0, len(parsed))
	for _, h := range parsed {
		hunks = append(hunks, hunk(h))
	}
	return hunks
}

// Files parses a diff of one or more files as git writes it. It returns nil for text that is not a diff.
func Files(unified string) []sessionevents.FilePatch {
	if !strings.Contains(unified, "\n@@ ") && !strings.HasPrefix(unified, "@@ ") {
		return nil
	}
	parsed, _ := diff.ParseMultiFileDiff([]byte(unified)) // what precedes an error counts
	var files []sessionevents.FilePatch
	for _, f := range parsed {
		file := sessionevents.FilePatch{Path: name(f.NewName), Op: sessionevents.DiffUpdate}
		switch old := name(f.OrigName); {
		case old == "":
			file.Op = sessionevents.DiffCreate
		case file.Path == "":
			file.Path, file.Op = old, sessionevents.DiffDelete
		case old != file.Path:
			file.OldPath, file.Op = old, sessionevents.DiffRename
		}
		for _, h := range f.Hunks {
			file.Hunks = append(file.Hunks, hunk(h))
		}
		if file.Path != "" {
			files = append(files, file)
		}
	}
	return files
}

// Created returns the patch for a new file with this content.
func Created(path, content string) sessionevents.FilePatch {
	return sessionevents.FilePatch{Path: path, Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{NewStart: 1, Lines: marked(content, "+")}}}
}

// Deleted returns the patch for a deleted file, with its former content if that is known.
func Deleted(path, content string) sessionevents.FilePatch {
	f := sessionevents.FilePatch{Path: path, Op: sessionevents.DiffDelete}
	if content != "" {
		f.Hunks = []sessionevents.Hunk{{OldStart: 1, Lines: marked(content, "-")}}
	}
	return f
}

func marked(content, mark string) []string {
	if content == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(content, "\n"), "\n")
	for i := range lines {
		lines[i] = mark + lines[i]
	}
	return lines
}

func hunk(h *diff.Hunk) sessionevents.Hunk {
	return sessionevents.Hunk{
		OldStart: int(h.OrigStartLine), NewStart: int(h.NewStartLine),
		Lines: strings.Split(strings.TrimSuffix(string(h.Body), "\n"), "\n"),
	}
}

// name returns the path in a diff header without git's a/ and b/, "" for /dev/null.
func name(header string) string {
	header, _, _ = strings.Cut(header, "\t")
	if header == "/dev/null" {
		return ""
	}
	if rest, ok := strings.CutPrefix(header, "a/"); ok {
		return cmp.Or(rest, header)
	}
	if rest, ok := strings.CutPrefix(header, "b/"); ok {
		return cmp.Or(rest, header)
	}
	return header
}
