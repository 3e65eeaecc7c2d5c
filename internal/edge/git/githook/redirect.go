package githook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// If core.hooksPath is set, the folder that it names may be tracked, shared with other repositories, or
// different in each worktree, so nothing is written there: during the run it names a folder of ours, whose
// hooks then call the original ones.

const hooksPathKey = "core.hooksPath"

// hooksPath is core.hooksPath as it was.
type hooksPath struct {
	// Value is the setting in force: a folder, relative to each worktree or absolute.
	Value string `json:"value"`
	// Local is the repository's own setting, "" if it has none.
	Local string `json:"local,omitempty"`
}

func (r hooks) ourHooks() string { return filepath.Join(r.folder(), "hooks") }

// hooksPath is the former setting, nil if there was none.
func (r hooks) hooksPath(ctx context.Context) *hooksPath {
	value, err := line(git(ctx, r.Dir, "config", "--type=path", "--get", hooksPathKey))
	if err != nil {
		return nil
	}
	local, err := line(git(ctx, r.Dir, "config", "--local", "--get", hooksPathKey))
	if err != nil {
		local = ""
	}
	return &hooksPath{Value: value, Local: local}
}

// redirect writes our hooks into a folder of their own and has Git look there.
func (r hooks) redirect(ctx context.Context, i *Installation, main string) error {
	if err := os.RemoveAll(r.ourHooks()); err != nil {
		return fmt.Errorf("clear %s: %w", r.ourHooks(), err)
	}
	for _, name := range append(slices.Clone(Names), passed...) {
		theirs := quoted(cmp.Or(i.Path.Value, ".") + "/" + name)
		text := "#!/bin/sh\n" + written + "\n" + passOn(theirs)
		if slices.Contains(Names, name) {
			text = script(i, name, theirs)
		} else if !harmless(name) && !exists(filepath.Join(absolute(main, i.Path.Value), name)) {
			continue
		}
		if err := write(filepath.Join(r.ourHooks(), name), []byte(text), 0o755); err != nil {
			return err
		}
	}
	if _, err := git(ctx, r.Dir, "config", "--local", hooksPathKey, r.ourHooks()); err != nil {
		return fmt.Errorf("have Git look for hooks in %s: %w", r.ourHooks(), err)
	}
	if r.redirected(ctx) {
		return nil
	}
	err := fmt.Errorf("%s is set for this worktree alone (git config --worktree) or by the environment, so that hooks cannot be installed; unset it there first", hooksPathKey)
	_, undone := r.direct(ctx, i)
	return errors.Join(err, undone)
}

// redirected reports whether Git looks for hooks in our folder.
func (r hooks) redirected(ctx context.Context) bool {
	now := r.hooksPath(ctx)
	return now != nil && filepath.Clean(now.Value) == r.ourHooks()
}

// direct restores core.hooksPath; why says that somebody had changed it.
func (r hooks) direct(ctx context.Context, i *Installation) (why string, err error) {
	now, err := line(git(ctx, r.Dir, "config", "--local", "--get", hooksPathKey))
	switch {
	case err != nil || filepath.Clean(now) != r.ourHooks():
		why = hooksPathKey + " was changed by somebody else and stays"
	case i.Path.Local == "":
		_, err = git(ctx, r.Dir, "config", "--local", "--unset-all", hooksPathKey)
	default:
		_, err = git(ctx, r.Dir, "config", "--local", hooksPathKey, i.Path.Local)
	}
	if why == "" && err != nil {
		return "", fmt.Errorf("put %s back: %w", hooksPathKey, err)
	}
	if err := os.RemoveAll(r.ourHooks()); err != nil {
		return why, fmt.Errorf("remove %s: %w", r.ourHooks(), err)
	}
	return why, nil
}

// Names lists the hooks that publish facts or guard main.
var Names = []string{"pre-commit", "post-commit", "post-merge", "post-checkout", "post-rewrite", "pre-applypatch", "post-applypatch"}

// passed lists further hooks that Git may call. With our hooks in another folder, existing ones have to be
// called from there. Their presence alone changes nothing.
var passed = []string{
	"applypatch-msg", "commit-msg", "pre-auto-gc", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg",
	"post-index-change", "post-receive", "post-update", "pre-receive", "push-to-checkout", "reference-transaction", "sendemail-validate", "update",
}

// harmless reports whether a hook that does nothing is equivalent to none, also in speed.
func harmless(name string) bool {
	switch name {
	case "post-index-change", "post-receive", "post-update", "pre-receive", "push-to-checkout", "reference-transaction", "sendemail-validate", "update":
		return false
	}
	return true
}

const written = "# Written by scaffoldwatch for the time of a run; `scaffoldwatch git-hook remove` puts back what was here."

// script is a hook: the program, then the hook that was there, as Git would have run it, with its name, its
// input and its exit code. A guarding hook refuses if the program is gone, since nothing else would guard;
// commits on other branches pay next to nothing for it.
func script(i *Installation, name, theirs string) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n" + written + "\n")
	begin, end, gone, failed := "", "", "", ""
	switch name {
	case "pre-commit", "pre-applypatch":
		begin = `if [ "$(git symbolic-ref -q HEAD)" = ` + quoted(heads+i.Main) + " ]; then\n"
		end, gone, failed = "fi\n", "\n  exit 1", " || exit 1"
	case "post-checkout": // of files: nothing that is told
		begin, end = "if [ \"$3\" != 0 ]; then\n", "fi\n"
	}
	b.WriteString("program=" + quoted(i.Binary) + "\n" + begin)
	b.WriteString(`if [ ! -x "$program" ]; then` + "\n")
	b.WriteString(`  echo "scaffoldwatch: $program is gone; install scaffoldwatch again, or delete this hook: $0" >&2` + gone + "\nelse\n")
	b.WriteString(`  "$program" git-hook run ` + name + ` -- "$@" </dev/null` + failed + "\nfi\n" + end)
	b.WriteString(passOn(theirs))
	return b.String()
}

// passOn calls the hook that was there before; theirs is shell code.
func passOn(theirs string) string {
	return "for theirs in " + theirs + "; do\n  if [ -f \"$theirs\" ] && [ -x \"$theirs\" ]; then exec \"$theirs\" \"$@\"; fi\ndone\nexit 0\n"
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
