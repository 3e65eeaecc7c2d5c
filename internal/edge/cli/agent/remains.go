package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// remains is a folder of ours that outlasts the hooks (CO-8).
type remains struct{ path, holds string }

// left lists those folders that exist.
func left() (list []remains) {
	add := func(base, holds string, err error) {
		path := filepath.Join(base, "scaffoldwatch")
		if _, statErr := os.Lstat(path); err == nil && statErr == nil {
			list = append(list, remains{path, holds})
		}
	}
	data, err := system.DataFolder(os.Getenv)
	add(filepath.Dir(data), "recordings of `up`: streams, reports, anchors", err)
	settings, err := os.UserConfigDir()
	add(settings, "keys, tokens of hooks, your rules", err)
	cache, err := os.UserCacheDir()
	add(cache, "notes of hooks, turns that wait for the broker", err)
	return list
}

// tellLeft lists what stays behind.
func tellLeft(r *cli.Call, list []remains) {
	if len(list) == 0 {
		return
	}
	say(r, "what stays (`scaffoldwatch uninstall --all` removes it; snapshots in your repositories stay "+
		"in any case, see `scaffoldwatch rescue list`):")
	for _, one := range list {
		fmt.Fprintf(r.Stderr, "  %s  %s\n", terminal.Clean(one.path), one.holds)
	}
}

// errRunning is returned instead of removing what a running system writes.
var errRunning = errors.New("a system that uses these folders is running: stop it first (Ctrl-C in the terminal of `scaffoldwatch up`)")

// removeLeft removes the folders once a person has confirmed.
func (c *Uninstall) removeLeft(r *cli.Call, list []remains) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(r.Stderr, "nothing else of ours is left")
		return err
	}
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = terminal.Clean(one.path) + " (" + one.holds + ")"
	}
	if c.DryRun {
		_, err := fmt.Fprintln(r.Stderr, "a dry run; this would be removed: "+strings.Join(names, ", "))
		return err
	}
	unlock, err := idle()
	if err != nil {
		return err
	}
	defer unlock()
	if err := cli.Confirm(r, "remove for good "+strings.Join(names, ", "), ""); err != nil {
		return err
	}
	var problems []error
	for _, one := range list {
		if err := removeFolder(one.path); err != nil {
			problems = append(problems, err)
			continue
		}
		fmt.Fprintln(r.Stderr, terminal.Clean(one.path)+": removed")
	}
	return errors.Join(problems...)
}

// removeFolder removes a folder, or the link in its place but not the link's target.
func removeFolder(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = os.Remove(path)
	} else if err == nil {
		err = os.RemoveAll(path)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// idle acquires the lock of the recordings, which a running system holds.
func idle() (unlock func(), err error) {
	folder, err := system.DataFolder(os.Getenv)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(folder); err != nil {
		return func() {}, nil //nolint:nilerr // nothing is recorded
	}
	lock, err := embedded.Hold(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRunning, err)
	}
	return func() { _ = lock.Close() }, nil
}
