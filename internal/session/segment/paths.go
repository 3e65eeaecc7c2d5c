package segment

import (
	"path"
	"strings"
)

// cleanWorkspace is the workspace as a clean slash path without a slash at its
// end; "" when it is none.
func cleanWorkspace(folder string) string {
	folder = cleanPath(folder)
	if folder == "." || folder == "/" {
		return ""
	}
	return folder
}

// cleanPath is p with slashes, without ".", ".." where they cancel out, a
// "file://" in front or blanks around it.
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

// path is the path as segments hold it: clean, and relative to the workspace
// when it is below.
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

// samePath compares folders; those of Windows without case.
func samePath(a, b string) bool {
	return a == b || isDrive(a) && strings.EqualFold(a, b)
}
