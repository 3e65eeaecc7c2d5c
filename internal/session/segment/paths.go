package segment

import (
	"path"
	"strings"
)

// cleanWorkspace returns the workspace as a clean path with forward slashes and without a
// trailing slash; "" if it is not a path.
func cleanWorkspace(folder string) string {
	folder = cleanPath(folder)
	if folder == "." || folder == "/" {
		return ""
	}
	return folder
}

// cleanPath returns p with forward slashes, with "." and ".." resolved, and without a
// leading "file://" or surrounding blanks.
func cleanPath(p string) string {
	p = strings.TrimPrefix(strings.TrimSpace(p), "file://")
	if p == "" {
		return ""
	}
	if strings.Contains(p, `\`) && (isDrive(p) || !strings.Contains(p, "/")) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	return path.Clean(p)
}

func isDrive(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// path returns a path as segments contain it: clean, and relative to the workspace if it
// is below.
func (b *builder) path(p string) string {
	p = cleanPath(p)
	if b.workspace == "" || p == "" {
		return p
	}
	if p == b.workspace {
		return "."
	}
	if len(p) > len(b.workspace) && p[len(b.workspace)] == '/' && samePath(p[:len(b.workspace)], b.workspace) {
		return p[len(b.workspace)+1:]
	}
	return p
}

// samePath compares folders, ignoring case on Windows.
func samePath(a, b string) bool {
	return a == b || isDrive(a) && strings.EqualFold(a, b)
}
