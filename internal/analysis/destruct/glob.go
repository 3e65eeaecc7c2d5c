package destruct

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/pattern"
)

// Matches reports whether a shell's pattern matches a whole path, * and ? within one folder. One that is
// invalid is the name as written, as for the shell, and so may any other be that was quoted or escaped: a file can be
// called "[id].tsx".
func Matches(form, name string) bool {
	if form == name {
		return true
	}
	if !strings.Contains(form, "[") {
		matched, err := path.Match(form, name)
		return matched || err != nil
	}
	expression, err := pattern.Regexp(form, shellNames)
	if err != nil {
		return false
	}
	matched, err := regexp.MatchString(expression, name)
	return matched || err != nil
}

const shellNames = pattern.Filenames | pattern.EntireString | pattern.NoGlobStar | pattern.GlobLeadingDot
