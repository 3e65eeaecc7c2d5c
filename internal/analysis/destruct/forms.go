package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// forms handle commands whose arguments mean more than flags and names. Each fills in an
// act and reports whether it is one.
var forms map[string]func(*command, *Rule, *Act) bool

func init() {
	forms = map[string]func(*command, *Rule, *Act) bool{
		"reset": reset, "checkout": checkout, "restore": restore, "clean": cleaning, "stash": dropped, "push": push, "push_delete": pushDelete, "publish": publish, "rebase": rebase,
		"remove": remove, "find": found, "overwrite": overwrite, "device": device, "format": formatted, "code": code, "written": written, "sql": sql, "index": index,
		"writing": writing, "editor": editor, "moved": moved, "permitted": permitted, "permitted_found": permittedFound, "synced": synced, "imaged": imaged, "takes": takes, "unstage": unstage, "elsewhere": elsewhere, "abort": aborted, "expired": expired, "pruned": pruned, "tree": tree, "clean_unforced": unforced, "aws": cloud, "words": words, "verb": verb, "reversed": reversed, "kill_name": killName, "kill_windows": killWindows, "kill": kill, "identity": identity, "fed": keys, "unhooked": unhooked,
	}
}

// plain handles a command without a form.
func plain(c *command, rule *Rule, a *Act) bool {
	a.Targets = c.targets(rule)
	a.Whole = len(a.Targets) == 0
	a.Open = a.Whole && c.Fed && rule.Kind == Branches // another command names them
	if rule.Kind == Files {
		for i, t := range a.Targets {
			a.Targets[i] = under(c.Directory, t)
		}
	}
	return true
}

// tree handles a command that removes whole folders without a flag.
func tree(c *command, rule *Rule, a *Act) bool {
	is := remove(c, rule, a)
	a.Recursive, a.Force = true, true
	return is
}

// remove handles rm and similar commands.
func remove(c *command, rule *Rule, a *Act) bool {
	a.Recursive = c.has("-r", "-R", "--recursive", "-recurse", "-Recurse", "/s", "/S") ||
		rule.Names[0] == "del" && slices.ContainsFunc(c.operands, unasked)
	a.Empties = rule.ID == "truncate"
	a.Force = a.Empties || c.Name == "shred" || c.has("-f", "--force", "-Force", "-force")
	if c.has("-i", "--interactive", "-I") && !c.has("-f", "--force") {
		return false // it prompts
	}
	for _, o := range c.operands {
		if strings.HasPrefix(o, "/") && len(o) == 2 && rule.Names[0] != "rm" || o == "{}" || o == ";" || o == "+" {
			continue // a Windows flag, find -exec
		}
		t := under(c.Directory, o)
		a.Whole = a.Whole || everything(t)
		a.Targets = append(a.Targets, t)
	}
	if slices.Contains(c.operands, "{}") || c.Fed && len(a.Targets) == 0 {
		return fedTargets(c, a)
	}
	return len(a.Targets) > 0
}

// unasked reports whether a word is a flag of del with which it takes all of a folder.
func unasked(word string) bool { return slices.Contains([]string{"/s", "/S", "/q", "/Q"}, word) }

// everything reports whether a path means everything: the current folder, home, the root.
func everything(t string) bool {
	t = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(t, "/*"), "/.*"), "/")
	return t == "" || t == "." || t == "*" || t == ".." || t == "~" || t == "$HOME" || t == "$PWD" || t == "$(pwd)"
}

// fedTargets handles a command that receives its targets from another one, through a pipe
// or -exec: what find selects, or unknown ones.
func fedTargets(c *command, a *Act) bool {
	recursive := a.Recursive
	for _, i := range c.line.all {
		if i.Name == "fd" || i.Name == "fdfind" {
			a.Targets, a.Force = fdFolders(i.Args, i.Directory), true
			a.Search = &Search{Folders: a.Targets, conditions: fdConditions(i.Args)}
			return true
		}
		if i.Name == "find" || i.Name == "gfind" {
			action := len(i.Args)
			for k, arg := range i.Args {
				if (arg == "-exec" || arg == "-execdir") && strings.Contains(strings.Join(i.Args[k:], " "), c.Name) {
					action = k
					break
				}
			}
			is := foundIn(c.line, i.Args, i.Directory, a, action)
			a.Recursive = a.Recursive || recursive
			if a.Search != nil {
				a.Search.Folders = a.Targets
			}
			return is
		}
	}
	a.Targets = nil
	a.Lost, a.Open, a.Force = true, true, true
	return true
}

// fdValues are flags of fd whose next word is a value.
var fdValues = []string{"-e", "--extension", "-t", "--type", "-d", "--max-depth", "--min-depth", "-E", "--exclude", "-S", "--size", "-o", "--owner", "-c", "--color", "-j", "--threads"}

// fdFolders returns the folders that fd searches: its words after the pattern.
func fdFolders(args []string, directory string) (folders []string) {
	words := fdWords(args)
	if len(words) < 2 {
		return []string{under(directory, ".")}
	}
	for _, w := range words[1:] {
		folders = append(folders, under(directory, w))
	}
	return folders
}

// fdPattern returns what fd searches for, "" for everything.
func fdPattern(args []string) string {
	if words := fdWords(args); len(words) > 0 {
		return words[0]
	}
	return ""
}

// fdWords returns the words of fd before the command that it runs, without its flags.
func fdWords(args []string) (words []string) {
	for k := 0; k < len(args); k++ {
		switch a := clean(args[k]); {
		case a == "-x" || a == "-X" || a == "--exec" || a == "--exec-batch":
			k = len(args)
		case slices.Contains(fdValues, a):
			k++
		case !isFlag(a):
			words = append(words, a)
		}
	}
	return words
}

// plainName is a pattern of fd that means a part of a name, not a regular expression.
var plainName = pattern.Must(`^[\w-]+$`)

// fdConditions returns fd's conditions on a file in the form of find's; fd skips names
// that begin with a dot.
func fdConditions(args []string) (conditions []string) {
	if !slices.ContainsFunc(args, func(a string) bool { return a == "-H" || a == "--hidden" || a == "-u" || a == "--unrestricted" }) {
		conditions = append(conditions, "!", "-path", ".*", "!", "-name", ".*")
	}
	if named := fdPattern(args); plainName.MatchString(named) {
		conditions = append(conditions, "-iname", "*"+named+"*")
	}
	for _, ending := range values(args, "-e", "--extension") {
		conditions = append(conditions, "-name", "*."+strings.TrimPrefix(ending, "."))
	}
	return conditions
}

// found handles find -delete; what it runs with -exec is a command of its own.
func found(c *command, _ *Rule, a *Act) bool {
	action := -1
	for k := 0; k < len(c.Args) && action < 0; k++ {
		switch c.Args[k] {
		case "-exec", "-execdir", "-ok", "-okdir":
			for k < len(c.Args) && c.Args[k] != ";" && c.Args[k] != "+" {
				k++
			}
		case "-name", "-iname", "-path", "-newer":
			k++
		case "-delete":
			action = k
		}
	}
	return action >= 0 && foundIn(c.line, c.Args, c.Directory, a, action)
}

// foundIn records the folders that find searches. With a name, only files of that name
// are affected; those that a build recreates do not count.
func foundIn(l *line, args []string, directory string, a *Act, action int) bool {
	folders, names := starts(args, directory), values(args, "-name", "-iname", "-path")
	if !slices.Contains(args, "-path") { // which may select only a part of a folder
		l.out.Swept = append(l.out.Swept, folders...)
	}
	a.Recursive = true
	if l.placed {
		a.Search, a.Targets, a.Force = searched(args, directory, action), folders, true
		return true
	}
	harmless := len(names) > 0
	for _, n := range names {
		harmless = harmless && (l.Rebuilt(strings.Trim(n, "*/")) || l.Rebuilt(n))
	}
	if harmless || !slices.ContainsFunc(folders, func(f string) bool { return !l.Temporary(f) && !l.Rebuilt(f) }) {
		return false
	}
	a.Targets = folders
	if len(names) > 0 {
		a.Loses = "files named " + names[0]
	} else {
		a.Whole = slices.ContainsFunc(folders, everything)
	}
	return true
}

// starts returns the folders in which find starts: its arguments before the first
// condition.
func starts(args []string, directory string) (folders []string) {
	for _, arg := range args {
		arg = clean(arg)
		if arg == "-L" || arg == "-H" || arg == "-P" {
			continue
		}
		if isFlag(arg) || arg == "(" || arg == "!" {
			break
		}
		folders = append(folders, under(directory, arg))
	}
	if len(folders) == 0 {
		return []string{under(directory, ".")}
	}
	return folders
}

// values returns the values of some flags.
func values(args []string, flags ...string) (out []string) {
	for k := range len(args) - 1 {
		if slices.Contains(flags, clean(args[k])) {
			out = append(out, clean(args[k+1]))
		}
	}
	return out
}

// overwrite handles cp or mv to a file that cannot be recreated. Whether another file
// existed is only known from its folder.
func overwrite(c *command, _ *Rule, a *Act) bool {
	if len(c.operands) < 2 {
		return false
	}
	to := under(c.Directory, c.operands[len(c.operands)-1])
	if path.Base(to) == path.Base(c.operands[0]) && c.Name != "mv" && strings.Contains(c.operands[0], "/") || !c.line.Precious(to) && !systemPath(to) || isBackup(to) {
		return false
	}
	if slices.Contains(c.line.copied, to) || strings.HasPrefix(path.Base(c.operands[0]), path.Base(to)+".") && isBackup(c.operands[0]) {
		return false // copied elsewhere before, or its copy is restored
	}
	a.Overwrites = true
	a.Targets = []string{to}
	return true
}

func isBackup(name string) bool {
	return slices.ContainsFunc([]string{"bak", "backup", "orig", "save", "saved", "old", "copy"}, func(w string) bool { return strings.Contains(path.Base(name), w) })
}

// systemPath reports whether a path is a program or setting of the system.
func systemPath(name string) bool {
	return slices.ContainsFunc([]string{"/usr/bin/", "/bin/", "/sbin/", "/usr/sbin/", "/usr/lib/", "/lib/", "/boot/", "/System/"}, func(f string) bool { return strings.HasPrefix(name, f) })
}

// device handles dd to a device or file.
func device(c *command, _ *Rule, a *Act) bool {
	for _, o := range c.operands {
		if to, is := strings.CutPrefix(o, "of="); is && to != "/dev/null" && to != "/dev/stdout" {
			a.Overwrites = true
			a.Targets = []string{under(c.Directory, to)}
			return strings.HasPrefix(to, "/dev/") || c.line.Precious(to)
		}
	}
	return false
}

func formatted(c *command, _ *Rule, a *Act) bool {
	a.Targets = slices.DeleteFunc(slices.Clone(c.operands), func(o string) bool { return !strings.HasPrefix(o, "/dev/") && !strings.HasSuffix(o, ":") })
	return len(a.Targets) > 0
}

// written handles program text that writes over files which it names.
func written(c *command, rule *Rule, a *Act) bool {
	a.Overwrites, a.Quiet = true, true
	files := *rule
	files.Kind = Files
	is := code(c, &files, a)
	a.Recursive = false
	return is
}

// code handles program text, given as an argument or as input.
func code(c *command, rule *Rule, a *Act) bool {
	text := c.text()
	for _, p := range rule.Patterns {
		for _, m := range p.FindAllStringSubmatch(text, 8) {
			target := ""
			for _, group := range m[1:] {
				target = max(target, group)
			}
			if target == "" {
				a.Whole = true
				return true
			}
			if rule.Kind == Files {
				target = under(c.Directory, target)
			}
			if rule.Kind == Data && strings.Contains(target, " ") { // a statement
				found := statements(target)
				if len(found) == 0 {
					continue
				}
				target = found[0].name
			}
			a.Targets = append(a.Targets, target)
		}
	}
	a.Recursive, a.Force = rule.Kind == Files, rule.Kind == Files
	return len(a.Targets) > 0
}

// deletes are the spellings of the method in one word, methods the flags before it in two.
var (
	deletes = []string{"-XDELETE", "--request=DELETE", "--method=DELETE"}
	methods = []string{"-X", "--request", "--method"}
)

// index handles a request that deletes what an address names, such as an index of a search engine.
func index(c *command, rule *Rule, a *Act) bool {
	joined := strings.Join(c.Args, " ")
	at := slices.Index(c.Args, "DELETE")
	spelled := at >= 0 && (at == 0 || slices.Contains(methods, c.Args[at-1]) || !isFlag(c.Args[at-1]))
	if !spelled && !slices.ContainsFunc(c.Args, func(s string) bool { return slices.Contains(deletes, s) }) {
		return false
	}
	m := rule.Patterns[0].FindStringSubmatch(joined)
	if m == nil {
		return false
	}
	a.Targets = []string{clean(m[1])}
	return true
}

// keys handles a command that deletes what another one finds, not what it names.
func keys(c *command, _ *Rule, a *Act) bool {
	found := func(o string) bool { return o == "{}" || substituted(o) != "" }
	a.Whole = c.Fed && len(c.operands) == 0 || slices.ContainsFunc(c.operands, found)
	return a.Whole
}

// unhooked handles a call of Git with a variable or a setting that turns its hooks off.
func unhooked(c *command, rule *Rule, a *Act) bool {
	at := slices.IndexFunc(c.Args, func(w string) bool { return among(w, rule.Words[0], false) })
	given := slices.Concat(c.Assigned, c.Args[:max(at, 0)])
	if rule.ID == "git-hooks-off" {
		given = c.operands
	}
	a.Whole = rule.Patterns[0].MatchString(strings.Join(given, " "))
	return a.Whole
}

// cloud handles a cloud provider's command: service, action.
func cloud(c *command, rule *Rule, a *Act) bool {
	if len(c.operands) < 2 || rule.Patterns[0].FindStringSubmatch(c.operands[1]) == nil || c.has("--dry-run") {
		return false
	}
	a.Targets = []string{strings.Join(c.operands[:2], " ")}
	return true
}

// words handles a call whose words describe what it does.
func words(c *command, rule *Rule, a *Act) bool {
	if rule.Patterns[0].FindStringSubmatch(strings.Join(c.operands, " ")) == nil || c.has("--help", "-h", "--dry-run") {
		return false
	}
	a.Targets = c.operands[max(0, len(c.operands)-1):]
	return true
}

// verb handles a call of which one of the first words says what happens to the next one.
func verb(c *command, rule *Rule, a *Act) bool {
	if c.has("--help", "-h", "--dry-run") {
		return false
	}
	for i, word := range c.operands[:min(verbWords, len(c.operands))] {
		if rule.Patterns[0].FindStringSubmatch(word) != nil {
			a.Targets = []string{strings.Join(c.operands[:min(i+2, len(c.operands))], " ")}
			return true
		}
	}
	return false
}

// verbWords is how many words may lead to the verb: "storage blob service delete".
const verbWords = 4

// reversed handles taking back a patch that is what is not committed: the output of git diff.
func reversed(c *command, _ *Rule, a *Act) bool {
	a.Whole = slices.ContainsFunc(c.line.all, func(i shell.Invocation) bool {
		return i.Name == "git" && slices.Contains(i.Args, "diff") && !slices.ContainsFunc(i.Args, func(s string) bool { return strings.Contains(s, "..") })
	})
	return a.Whole
}

// killName handles pkill and killall.
func killName(c *command, _ *Rule, a *Act) bool {
	a.Targets = slices.DeleteFunc(slices.Clone(c.operands), func(o string) bool { return strings.Trim(o, "0123456789") == "" })
	return len(a.Targets) > 0
}

func killWindows(c *command, _ *Rule, a *Act) bool {
	a.Targets = slices.DeleteFunc(slices.Clone(c.operands), func(o string) bool { return strings.HasPrefix(o, "/") })
	return len(a.Targets) > 0
}

// kill handles kill for processes that another command finds by name, or for all.
func kill(c *command, _ *Rule, a *Act) bool {
	if slices.Contains(c.Args, "-1") && len(c.Args) > 1 && c.Args[len(c.Args)-1] == "-1" {
		a.Whole = true
		return true
	}
	open := c.Fed || slices.ContainsFunc(c.Args, func(s string) bool { return strings.Contains(s, "$(") || strings.Contains(s, "`") })
	if !open {
		return false
	}
	for _, i := range c.line.all {
		if !slices.Contains(c.line.config.ProcessLookups, i.Name) {
			continue
		}
		for _, arg := range i.Args {
			if !isFlag(arg) || strings.Contains(arg, ":") {
				a.Targets = append(a.Targets, clean(arg))
			}
		}
	}
	return len(a.Targets) > 0
}
