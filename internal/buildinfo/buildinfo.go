// Package buildinfo says which build runs.
package buildinfo

import "runtime/debug"

// Version returns the version of the main module, "(devel)" where the build does
// not record one.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
