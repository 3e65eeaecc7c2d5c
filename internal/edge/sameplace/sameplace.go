// Package sameplace says whether two processes see the same folder: a hook that runs where the agent does,
// and the service that answers it, which may run on another machine, as another user, or with another
// view of the disk (GD-20).
package sameplace

import (
	"os"
	"strings"
	"sync"
)

// Of names the place that a folder is for this process: the machine since it was started, the user, and
// the folder itself. It is "" where the folder cannot be seen.
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

// Same reports whether a place that another process named is what the folder is here.
func Same(place, folder string) bool { return place != "" && place == Of(folder) }

// machine is the running kernel, else the name of the machine.
var machine = sync.OnceValue(func() string {
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		return strings.TrimSpace(string(boot))
	}
	name, _ := os.Hostname()
	return name
})
