package gitrun

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Looking returns a command for reading a repository whose settings are untrusted (JD-20): it starts no
// program that they name, such as hooks, file system monitors, content filters or pagers, fetches no
// missing objects, and writes nothing. Files that a filter changes on their way into Git are compared as
// they are on disk, so they may seem changed: filtered reports whether there are filters. Commands must not
// look into submodules, which have settings of their own.
func Looking(ctx context.Context, dir string) (c Command, filtered bool, err error) {
	c = Command{
		Dir: dir, Delay: 5 * time.Millisecond,
		Options: []string{
			"--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=keep", "-c", "core.hooksPath=/dev/null",
			"-c", "core.sshCommand=false", "-c", "core.askPass=false", "-c", "protocol.allow=never", "-c", "log.showSignature=false",
		},
		Variables: []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EXTERNAL_DIFF="},
	}
	// Exit code 1 means that no setting has such a name; any other failure shows in the next command.
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
