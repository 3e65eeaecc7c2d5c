package githook

import "strings"

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
