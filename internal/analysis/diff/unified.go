// Package diff reads the formats of edits — unified diffs with or without headers and
// line numbers, apply_patch envelopes, old and new text — into the contract's
// [events.FilePatch] and [events.Hunk] (SW-3, SW-4).
//
// No input makes it fail: text that is not a diff gives no patches. Line numbers that the
// source does not contain are 0.
package diff

import (
	"slices"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const noFile = "/dev/null"

var numberedHeader = pattern.Must(`^@@ -\d+(,\d+)? \+\d+(,\d+)? @@`)

// LooksUnified reports whether text has the marks of a unified diff: a hunk
// header at the start of a line, or a pair of file headers.
func LooksUnified(text string) bool {
	return atLineStart(text, "@@") || atLineStart(text, "diff --git ") ||
		(atLineStart(text, "--- ") && atLineStart(text, "+++ "))
}

func atLineStart(text, mark string) bool {
	return strings.HasPrefix(text, mark) || strings.Contains(text, "\n"+mark)
}

// Unified reads a unified diff of one or more files. Wrong counts, truncated
// hunks, prose around it and hunk headers without numbers are tolerated. Hunks
// without file headers, or bare + and - lines, give one patch without a path.
func Unified(text string) []sessionevents.FilePatch {
	text = numberHeaders(text)
	if !atLineStart(text, "--- ") && !atLineStart(text, "diff --git ") {
		return headless(text)
	}
	reader := godiff.NewMultiFileDiffReader(strings.NewReader(text))
	var out []sessionevents.FilePatch
	for {
		file, err := reader.ReadFile()
		if file == nil || err != nil {
			break // the end, or a broken rest: keep what was read so far
		}
		out = append(out, patchOf(file))
	}
	if len(out) == 0 {
		return headless(text)
	}
	return out
}

// numberHeaders gives "@@" lines without numbers a header with 0 for unknown.
func numberHeaders(text string) string {
	if !atLineStart(text, "@@") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "@@") && !numberedHeader.MatchString(line) {
			lines[i] = "@@ -0,0 +0,0 @@"
		}
	}
	return strings.Join(lines, "\n")
}

// headless reads hunks without a file name.
func headless(text string) []sessionevents.FilePatch {
	if start := strings.Index("\n"+text, "\n@@"); start >= 0 {
		hunks, _ := godiff.ParseHunks([]byte(text[start:])) // a broken rest is ignored
		if len(hunks) > 0 {
			return []sessionevents.FilePatch{{Op: sessionevents.DiffUpdate, Hunks: hunksOf(hunks)}}
		}
	}
	var lines []string
	changed := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || !strings.ContainsRune("+- ", rune(line[0])) {
			line = " " + line
		}
		changed = changed || line[0] != ' '
		lines = append(lines, line)
	}
	if !changed {
		return nil
	}
	return []sessionevents.FilePatch{{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: lines}}}}
}

func patchOf(file *godiff.FileDiff) sessionevents.FilePatch {
	oldName, newName := plainName(file.OrigName, "a/"), plainName(file.NewName, "b/")
	patch := sessionevents.FilePatch{Path: newName, Op: sessionevents.DiffUpdate, Hunks: hunksOf(file.Hunks)}
	switch {
	case oldName == noFile || extended(file, "new file"):
		patch.Op = sessionevents.DiffCreate
	case newName == noFile || extended(file, "deleted file"):
		patch.Op, patch.Path = sessionevents.DiffDelete, oldName
	case oldName != newName && extended(file, "rename from"):
		patch.Op, patch.OldPath = sessionevents.DiffRename, oldName
	}
	return patch
}

func extended(file *godiff.FileDiff, mark string) bool {
	for _, line := range file.Extended {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// plainName strips git's a/ and b/ and a trailing tab-separated date.
func plainName(name, prefix string) string {
	name, _, _ = strings.Cut(name, "\t")
	return strings.TrimPrefix(strings.TrimSpace(name), prefix)
}

func hunksOf(hunks []*godiff.Hunk) []sessionevents.Hunk {
	out := make([]sessionevents.Hunk, 0, len(hunks))
	for _, h := range hunks {
		lines := strings.Split(strings.TrimSuffix(string(h.Body), "\n"), "\n")
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "\\") }) // "\ No newline …"
		if len(lines) == 0 || len(h.Body) == 0 {
			continue
		}
		out = append(out, sessionevents.Hunk{OldStart: int(h.OrigStartLine), NewStart: int(h.NewStartLine), Lines: lines})
	}
	return out
}
