package gitrun

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Looking returns how Git is run to read a repository whose settings nobody vouches for (JD-20): it
// starts no program that these name, neither hooks, monitors of files, filters of contents and pagers,
// nor what fetches objects that are missing, and it writes nothing. Files that a filter changes on their
// way into Git are compared as they are on disk, so they may look changed: filtered says that there are
// filters. What it is asked must not look into submodules, which have settings of their own.
func Looking(ctx context.Context, dir string) (c Command, filtered bool, err error) {
	c = Command{
		Dir: dir, Delay: 5 * time.Millisecond,
		Options: []string{
			"--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=keep", "-c", "core.hooksPath=/dev/null",
			"-c", "core.sshCommand=false", "-c", "core.askPass=false", "-c", "protocol.allow=never", "-c", "log.showSignature=false",
		},
		Variables: []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EXTERNAL_DIFF="},
	}
	// Exit code 1 says that no setting has such a name; another one shows in what is asked next.
	names, err := c.Run(ctx, "config", "--name-only", "-z", "--get-regexp", `^filter\..*\.(clean|smudge|process|required)$`)
	if ctx.Err() != nil {
		return c, false, err
	}
	for name := range strings.SplitSeq(names, "\x00") {
		if name == "" {
			continue
		}
		if strings.Contains(name, "=") {
			return c, true, fmt.Errorf("git: the filter %q cannot be left out", name)
		}
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		filtered = true
		c.Options = append(c.Options, "-c", name+"="+value)
	}
	return c, filtered, nil
}
