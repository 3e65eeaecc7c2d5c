package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// reset handles git reset --hard: uncommitted changes, and the commits after another one.
func reset(c *command, _ *Rule, a *Act) bool {
	a.Whole, a.Tracked = true, true
	a.Targets = nil
	for _, o := range c.operands {
		a.Moves = a.Moves || o != "HEAD" && o != "@"
	}
	if c.line.stash && !a.Moves && !c.Otherwise {
		return false
	}
	if a.Moves {
		a.Loses = "uncommitted changes and the commits after " + c.operands[0]
		a.Kept = keeps(c.line, c.operands[0])
	}
	return true
}

// keeps reports whether a line has made a branch or a tag where the branch stands that is now moved to a
// commit: without a start, or at the branch of the same name as the remote one that it is moved to.
func keeps(l *line, moved string) bool {
	return slices.ContainsFunc(l.all, func(i shell.Invocation) bool {
		words := slices.DeleteFunc(cleaned(i.Args), isFlag)
		return i.Name == "git" && len(words) > 1 && l.madeBefore(Thing{Branches, words[1]}) &&
			(len(words) == 2 || words[2] == "HEAD" || words[2] == "@" || strings.HasSuffix(moved, "/"+words[2]))
	})
}

// checkout handles git checkout of files, or with force; checking out a branch loses
// nothing.
func checkout(c *command, _ *Rule, a *Act) bool {
	a.Tracked = true
	if c.has("--pathspec-from-file") {
		a.Whole = true
		return true
	}
	if c.has("-b", "-B", "--orphan", "-t", "--track") {
		a.Whole = c.has("-f", "--force")
		return a.Whole
	}
	if c.dashes && len(c.operands) > len(c.before) {
		return worktreePaths(c, a, c.operands[len(c.before):])
	}
	if c.dashes && c.Fed { // the files come from another command
		a.Whole = true
		return true
	}
	paths := c.operands
	if len(paths) > 1 {
		paths = paths[1:]
	} else if !slices.ContainsFunc(paths, looksLikePath) {
		if a.Whole = c.has("-f", "--force"); a.Whole || len(paths) == 0 || strings.ContainsAny(paths[0], "$`~^@:") {
			return a.Whole
		}
		a.Perhaps, a.Live = true, true
	}
	return worktreePaths(c, a, paths)
}

// looksLikePath reports whether the only word of a checkout is a file rather than a
// branch.
func looksLikePath(word string) bool {
	ending := strings.TrimPrefix(path.Ext(word), ".")
	letters := strings.Trim(ending, "abcdefghijklmnopqrstuvwxyz") == ""
	return word == "." || word == ".." || word == ":/" || strings.HasPrefix(word, "./") || strings.HasSuffix(word, "/") || strings.ContainsAny(word, "*") ||
		ending != "" && letters && len(ending) < 6
}

// unstage handles git reset without files of the worktree, git restore --staged, git rm
// --cached, and git add of files, which stages them again.
func unstage(c *command, rule *Rule, a *Act) bool {
	a.Unstages, a.Tracked = true, true
	if rule.Words[0] != "reset" {
		return worktreePaths(c, a, c.operands)
	}
	paths := c.operands
	if c.dashes {
		paths = paths[min(len(c.before), len(paths)):]
	}
	if !slices.ContainsFunc(paths, looksLikePath) { // a commit, or a word that may be one
		a.Whole = true
		return true
	}
	return worktreePaths(c, a, paths)
}

// takes handles git add of everything, or git commit -a, which include files whoever
// changed them.
func takes(c *command, rule *Rule, a *Act) bool {
	commits := rule.Words[0] == "commit"
	a.Takes, a.Tracked = true, commits || c.has("-u", "--update")
	if a.Tracked || c.has("-A", "--all") && len(c.operands) == 0 {
		a.Whole = len(c.operands) == 0 || commits
	}
	for _, o := range c.operands {
		if !commits && (o == "." || o == ":/" || o == "*" || strings.HasSuffix(o, "/") || c.has("-A", "--all")) {
			a.Targets = append(a.Targets, under(c.Directory, strings.TrimPrefix(o, ":/")))
		}
	}
	return a.Whole || len(a.Targets) > 0
}

// elsewhere handles any change of a worktree or its branch: only the owner of the
// worktree matters.
func elsewhere(_ *command, _ *Rule, a *Act) bool {
	a.Changes, a.Quiet = true, true
	return true
}

// aborted handles commands that restore the files to their state before a merge or
// rebase.
func aborted(_ *command, _ *Rule, a *Act) bool {
	a.Whole, a.Tracked, a.Overwrites = true, true, true
	return true
}

// expired handles git reflog expire without a way back, or delete.
func expired(c *command, _ *Rule, a *Act) bool {
	a.Whole = true
	now := func(v string) bool { return v == "now" || v == "all" || strings.HasPrefix(v, "0") }
	return slices.Contains(c.Args, "delete") || now(c.values["--expire"]) || now(c.values["--expire-unreachable"]) || slices.ContainsFunc(c.Args, func(a string) bool {
		name, v, is := strings.Cut(a, "=")
		return is && abbreviates(name, "--expire-unreachable") && now(v)
	})
}

// pruned handles git gc or prune that immediately drops what no branch contains.
func pruned(c *command, _ *Rule, a *Act) bool {
	a.Whole = true
	return slices.ContainsFunc(c.Args, func(a string) bool {
		name, v, is := strings.Cut(clean(a), "=")
		return is && (name == "--prune" || abbreviates(name, "--prune") || name == "--expire" || abbreviates(name, "--expire") || name == "gc.pruneExpire") && (v == "now" || v == "all")
	}) && !c.has("--no-prune")
}

// restore handles git restore of the worktree; restoring only the index loses nothing.
func restore(c *command, _ *Rule, a *Act) bool {
	a.Tracked = true
	if c.has("--staged", "-S") && !c.has("--worktree", "-W") {
		return false
	}
	if len(c.operands) == 0 && (c.Fed || c.has("--pathspec-from-file")) { // the files come from another command
		a.Whole = true
		return true
	}
	return worktreePaths(c, a, c.operands)
}

// worktreePaths records the paths of a git command that works on files.
func worktreePaths(c *command, a *Act, paths []string) bool {
	for _, p := range paths {
		at, top := c.Directory, false
		if magic, rest, is := pathspec(p); is {
			if strings.ContainsAny(magic, "!^") || strings.Contains(magic, "exclude") {
				continue // those are kept
			}
			if p = rest; strings.Contains(magic, "/") || strings.Contains(magic, "top") {
				at, top = "", true
			}
		}
		if p == "." || p == ":/" || p == "*" || p == "--" || p == ".." {
			a.Whole, a.Targets = true, nil
			a.Below = !top && (p == "." || p == "*")
			return true
		}
		a.Targets = append(a.Targets, under(at, p))
	}
	return len(a.Targets) > 0
}

// pathspec separates the magic words of a pathspec from its path: :(top)*.go, :!x.
func pathspec(p string) (magic, rest string, is bool) {
	if p == ":/" || !strings.HasPrefix(p, ":") {
		return "", p, false
	}
	if magic, rest, is = strings.Cut(strings.TrimPrefix(p, ":("), ")"); is && strings.HasPrefix(p, ":(") {
		return magic, rest, true
	}
	rest = strings.TrimLeft(p[1:], "/!^")
	return p[1 : len(p)-len(rest)], strings.TrimPrefix(rest, ":"), true
}

// cleaning handles git clean.
func cleaning(c *command, _ *Rule, a *Act) bool {
	a.Ignored, a.Recursive, a.Untracked = c.has("-x", "-X"), c.has("-d"), true
	if a.Ignored {
		a.Loses = "untracked and ignored files"
	}
	if len(c.operands) == 0 {
		a.Whole = true
		return true
	}
	return worktreePaths(c, a, c.operands)
}

// dropped handles git stash drop or clear.
func dropped(c *command, _ *Rule, a *Act) bool {
	if slices.Contains(c.Args, "clear") {
		a.Loses = "every stash"
		a.Whole = true
	}
	a.Targets = c.operands
	return true
}

// push handles git push that replaces commits: with --force, or +branch, or a lease on a
// branch that others build on.
func push(c *command, _ *Rule, a *Act) bool {
	lease := slices.ContainsFunc(c.flags, func(f string) bool { return strings.HasPrefix(f, "--force-w") || strings.HasPrefix(f, "--force-i") })
	force := slices.ContainsFunc(c.flags, func(f string) bool {
		return f == "-f" || f == "--force" || abbreviates(f, "--mirror") || f == "--mirror"
	})
	var branches []string
	for _, o := range c.operands[min(1, len(c.operands)):] {
		name := strings.TrimPrefix(o, "+")
		from, to, both := strings.Cut(name, ":")
		if !both {
			to = from
		}
		force = force || strings.HasPrefix(o, "+")
		if both && from == "" {
			a.Rule, a.Kind, a.Loses, a.Back = "git-push-delete", Branches, "the branch or tag on the remote", "a clone that still has it"
			a.Targets = append(a.Targets, to)
		}
		branches = append(branches, to)
	}
	if len(a.Targets) > 0 {
		return true
	}
	shared := slices.ContainsFunc(branches, c.line.Shared)
	if slices.Contains(c.flags, "--force") || slices.Contains(c.flags, "-f") {
		lease = false
	}
	if !force && !(lease && shared) || force && lease && !shared {
		return false
	}
	a.Targets = branches
	a.Whole = slices.ContainsFunc(c.flags, func(f string) bool { return f == "--mirror" || abbreviates(f, "--mirror") || f == "--all" })
	if !shared {
		a.Weight = Less
	}
	return true
}

// publish handles any other git push.
func publish(c *command, _ *Rule, a *Act) bool {
	if n := len(c.operands); n > 1 {
		a.Targets = c.operands[1:]
	}
	return true
}

// pushDelete handles git push --delete.
func pushDelete(c *command, _ *Rule, a *Act) bool {
	if len(c.operands) < 2 {
		return false
	}
	a.Targets = c.operands[1:]
	return true
}

// rebase handles the rebase of a branch that others build on, if the line names it.
func rebase(c *command, _ *Rule, a *Act) bool {
	if len(c.operands) < 2 || !c.line.Shared(c.operands[1]) {
		return false
	}
	a.Targets = c.operands[1:2]
	return true
}

// identity handles git config that sets or removes the person's identity. A line that
// reads the setting first sets it only if it is missing.
func identity(c *command, _ *Rule, a *Act) bool {
	operands := c.operands
	removes := c.has("--unset", "--unset-all")
	if len(operands) > 0 && (operands[0] == "set" || operands[0] == "unset") {
		removes = removes || operands[0] == "unset"
		operands = operands[1:]
	}
	if len(operands) == 0 || len(operands) < 2 && !removes {
		return false
	}
	key := strings.ToLower(operands[0])
	if key != "user.name" && key != "user.email" && key != "user.signingkey" || printsSetting(c.line.all, key) {
		return false
	}
	a.Targets = []string{key}
	a.Shared = c.line.madeBefore(Thing{Linked, c.Directory})
	return true
}

// printsSetting reports whether one of the commands prints a git setting.
func printsSetting(all []shell.Invocation, key string) bool {
	for _, i := range all {
		words := slices.DeleteFunc(cleaned(i.Args), isFlag)
		if i.Name == "git" && len(words) > 1 && slices.Contains(words, "config") && strings.ToLower(words[len(words)-1]) == key && !slices.Contains(words, "unset") &&
			!slices.ContainsFunc(i.Args, func(a string) bool { return strings.HasPrefix(a, "--unset") }) {
			return true
		}
	}
	return false
}

// unforced handles git clean if the line itself says that no force is needed.
func unforced(c *command, rule *Rule, a *Act) bool {
	return slices.ContainsFunc(c.Args, func(arg string) bool {
		return strings.EqualFold(strings.TrimPrefix(clean(arg), "-c"), "clean.requireForce=false")
	}) && cleaning(c, rule, a)
}
