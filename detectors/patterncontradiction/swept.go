package patterncontradiction

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// swept are the folders below which a line deletes what find meets there: no file is
// named. Where find chooses by path, it may be a part of the folder only.
func swept(invocations []shell.Invocation) (folders []string) {
	removes := slices.ContainsFunc(invocations, func(i shell.Invocation) bool {
		return i.Name == "rm" && !slices.ContainsFunc(i.Args, func(a string) bool { return !strings.HasPrefix(a, "-") && a != "{}" && a != "+" && a != ";" })
	})
	for _, i := range invocations {
		if i.Name != "find" || slices.Contains(i.Args, "-path") || !removes && !slices.Contains(i.Args, "-delete") {
			continue
		}
		for _, arg := range i.Args {
			if strings.HasPrefix(arg, "-") && len(arg) > 2 || arg == "(" || arg == "!" {
				break
			}
			switch {
			case strings.HasPrefix(arg, "-"): // -L
			case path.IsAbs(arg) || i.Directory == "":
				folders = append(folders, arg)
			default:
				folders = append(folders, path.Join(i.Directory, arg))
			}
		}
	}
	return folders
}
