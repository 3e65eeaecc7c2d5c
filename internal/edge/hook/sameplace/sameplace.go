// Package sameplace determines whether two processes see the same folder: a hook that runs where the agent
// does, and the service that answers it, which may run on another machine, as another user, or with another
// view of the disk (GD-20).
package sameplace

import (
	"os"
	"strings"
	"sync"
)

// Of returns an identifier of a folder as this process sees it: the machine since its last start, the user,
// and the folder itself. It is "" if the folder is not visible.
func Of(folder string) string {
	if folder == "" {
		return ""
	}
	info, err := os.Stat(folder)
	if err != nil {
		return ""
	}
	return strings.Join([]string{machine(), user(), identity(info)}, ":")
}

// Same reports whether the identifier from another process denotes the folder as seen here.
func Same(place, folder string) bool { return place != "" && place == Of(folder) }

// machine identifies the running kernel, or else the machine by name.
var machine = sync.OnceValue(func() string {
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		return strings.TrimSpace(string(boot))
	}
	name, _ := os.Hostname()
	return name
})
