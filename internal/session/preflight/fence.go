package preflight

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// The folder of the keys is in a person's home. A call reaches it by naming it, in any
// spelling that a shell expands, or by covering it: a program that reads whole trees also
// reads it through any folder above.

// reach is how a path relates to the keys.
type reach int

const (
	misses     reach = iota
	coversKeys       // it is above a folder of keys
	namesKeys        // it is in one, or expands to a path in one
)

// home matches ways to write a person's home directory.
var home = pattern.Must(`^(?:~[a-z0-9_.-]*|\$HOME|\$\{HOME\}|\$env:USERPROFILE|%USERPROFILE%|/home/[^/]+|/Users/[^/]+|/root|/var/home/[^/]+|[A-Za-z]:/Users/[^/]+)(?:/|$)`)

// above are the folders that contain home directories.
var above = []string{"/", "/home", "/Users", "/var/home", "/*", "/home/*", "/Users/*", "C:/", "C:/Users"}

// configHome expands XDG_CONFIG_HOME to its usual value.
var configHome = strings.NewReplacer("$XDG_CONFIG_HOME", "~/.config", "${XDG_CONFIG_HOME}", "~/.config", "${HOME}", "~", `\`, "/")

// Keys are where keys are that agents must not read, and what reads them.
type Keys struct {
	Named    []string            `yaml:"keys"`
	OwnKeys  []string            `yaml:"own_keys"`
	Folders  []string            `yaml:"folders"`
	Trees    map[string][]string `yaml:"trees"`
	Visible  []string            `yaml:"visible"`
	Into     []string            `yaml:"into"`
	Unpacks  map[string][]string `yaml:"unpacks"`
	Listers  []string            `yaml:"listers"`
	Readers  []string            `yaml:"readers"`
	Searches []string            `yaml:"searches"`
}

// key reports whether a path leads to a key that agents must not read.
func (k *Keys) key(name string) bool {
	if strings.ContainsAny(name, " \t\n") || len(name) > 4096 {
		return false
	}
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if slices.Contains(k.OwnKeys, path.Base(name)) {
		return false
	}
	return slices.ContainsFunc(k.Named, func(key string) bool {
		if !strings.HasSuffix(key, "/") {
			return path.Base(name) == key
		}
		return strings.Contains("/"+name+"/", "/"+key)
	})
}

// reach returns how a path, relative to a directory, relates to the keys. Hidden reports
// whether names that begin with a dot are read below a folder.
func (k *Keys) reach(name, directory string, hidden bool) reach {
	if name == "" || len(name) > 4096 || strings.ContainsAny(name, "\n\x00") || slices.Contains(k.OwnKeys, path.Base(name)) {
		return misses
	}
	name = configHome.Replace(name)
	if directory = configHome.Replace(directory); directory != "" && !path.IsAbs(name) && !home.MatchString(name) {
		name = directory + "/" + name
	}
	own := home.FindString(name)
	rest := path.Clean("/" + name[len(own):])
	if own == "" {
		if hidden && slices.Contains(above, path.Clean(name)) {
			return coversKeys
		}
		return misses
	}
	parts := strings.FieldsFunc(rest, func(c rune) bool { return c == '/' })
	found := misses
	for _, folder := range k.Folders {
		if len(parts) == 0 && folder[0] != '.' && !strings.HasPrefix(own, "/Users/") && !strings.Contains(own, ":") {
			continue // of a system without such a home
		}
		found = max(found, relate(parts, strings.Split(folder, "/"), hidden))
	}
	return found
}

// relate compares the components of a path below a home with a folder of keys. A pattern
// that expands to the folder must also lead to a key below it.
func relate(parts, folder []string, hidden bool) reach {
	below, open := append(slices.Clone(folder), "credentials", "operator.nk"), false
	for k, p := range parts {
		switch {
		case p == "**":
			return namesKeys
		case k >= len(folder) && !open:
			return namesKeys
		case k >= len(below) || !completes(p, below[k]):
			return misses
		}
		open = open || strings.ContainsAny(p, "*?[")
	}
	switch {
	case len(parts) > len(folder), len(parts) == len(folder) && !open:
		return namesKeys
	case !hidden && len(parts) == 0 && strings.HasPrefix(folder[0], "."):
		return misses
	}
	return coversKeys
}

// completes reports whether a shell expands a pattern to a name.
func completes(pattern, name string) bool {
	if from, rest, braces := strings.Cut(pattern, "{"); braces {
		if list, after, closed := strings.Cut(rest, "}"); closed {
			return slices.ContainsFunc(strings.Split(list, ","), func(one string) bool { return completes(from+one+after, name) })
		}
	}
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") && !strings.HasPrefix(pattern, `\.`) {
		return false
	}
	matches, err := path.Match(pattern, name)
	return err == nil && matches || strings.EqualFold(pattern, name)
}

// keyPattern reports whether the last component of a pattern expands to a key file, and
// to little else.
func keyPattern(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if !strings.ContainsAny(base, "*?[{") || !strings.Contains(base, ".n") && !strings.HasSuffix(base, "?k") {
		return false
	}
	return slices.ContainsFunc([]string{"operator.nk", "infra.nk", "admin.nk"}, func(key string) bool { return completes(base, key) })
}

// guarded reports whether a shell command reads the keys in one of these ways. Listed is
// set if another command of the line lists the files of a folder above them.
func (k *Keys) guarded(i *shell.Invocation, directory string, handsOn bool, listed bool) bool {
	if i.Elsewhere {
		return false
	}
	directory = from(directory, i.Directory)
	hidden := !slices.Contains(k.Visible, i.Name) || slices.ContainsFunc(i.Args, showsHidden)
	paths := places(append(slices.Clone(i.Args), i.Files...))
	for _, p := range paths {
		if keyPattern(p) || k.reach(p, directory, hidden) == namesKeys {
			return true
		}
	}
	if k.readsTree(i) && !narrowed(i.Args) {
		if slices.ContainsFunc(places(k.sources(i)), func(p string) bool { return k.reach(p, directory, hidden) == coversKeys }) {
			return true
		}
		if !slices.ContainsFunc(i.Args, isPath) && !i.Fed && k.reach(".", directory, hidden) == coversKeys {
			return true // without a path it reads the current directory
		}
	}
	handed := handsOn && i.Fed || slices.ContainsFunc(i.Args, func(a string) bool { return strings.ContainsAny(a, "$`") })
	return listed && handed && slices.Contains(k.Readers, i.Name)
}

// from returns a folder that a command enters, relative to where the line starts.
func from(directory, entered string) string {
	if entered == "" || path.IsAbs(entered) || home.MatchString(entered) || strings.HasPrefix(entered, "$") {
		return cmp.Or(entered, directory)
	}
	return directory + "/" + entered
}

// sources returns the arguments that a command reads: what is copied or unpacked into a
// home is not read from it.
func (k *Keys) sources(i *shell.Invocation) []string {
	switch {
	case len(i.Args) > 0 && slices.ContainsFunc(k.Unpacks[i.Name], func(mode string) bool { return strings.HasPrefix(strings.TrimLeft(i.Args[0], "-"), mode) }):
		return nil
	case !slices.Contains(k.Into, i.Name) || slices.ContainsFunc(i.Args, func(a string) bool {
		return strings.HasPrefix(a, "--target-directory") || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "t")
	}):
		return append(slices.Clone(i.Args), i.Files...)
	}
	operands := slices.DeleteFunc(slices.Clone(i.Args), func(a string) bool { return strings.HasPrefix(a, "-") })
	return operands[:max(0, len(operands)-1)]
}

func isPath(a string) bool { return strings.ContainsAny(a, "/~") || a == "." || a == ".." }

// places returns the words that can be paths: arguments, the values of options, and both
// sides of a colon.
func places(args []string) (all []string) {
	for _, a := range args {
		all = append(all, a)
		if _, value, is := strings.Cut(a, "="); is {
			all = append(all, value)
		}
		if from, _, is := strings.Cut(a, ":"); is && len(from) > 1 {
			all = append(all, from)
		}
		if strings.HasPrefix(a, "@") || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && len(a) > 2 {
			all = append(all, strings.TrimPrefix(a[1:], "@"), a[2:])
		}
	}
	return all
}

func showsHidden(a string) bool {
	return a == "--hidden" || a == "--unrestricted" || strings.HasPrefix(a, "-u") && strings.Trim(a[1:], "u") == "" && len(a) > 2 || a == "-." || a == "-H"
}

// readsTree reports whether a command reads, copies or passes on everything below a
// folder.
func (k *Keys) readsTree(i *shell.Invocation) bool {
	flags, is := k.Trees[i.Name]
	return is && (len(flags) == 0 || slices.ContainsFunc(i.Args, func(a string) bool {
		return slices.ContainsFunc(flags, func(f string) bool {
			return a == f || len(f) == 2 && len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.Contains(a, f[1:])
		})
	}))
}

// lists reports whether a command lists the files of a folder above the keys.
func (k *Keys) lists(i *shell.Invocation, directory string) bool {
	directory = from(directory, i.Directory)
	return slices.Contains(k.Listers, i.Name) && !narrowed(i.Args) &&
		slices.ContainsFunc(i.Args, func(a string) bool { return k.reach(a, directory, true) == coversKeys })
}

// narrowed reports whether a search selects only names that no key has, or excludes the
// folder.
func narrowed(args []string) bool {
	for k, a := range args {
		name, value, joined := strings.Cut(a, "=")
		if !joined && k+1 < len(args) {
			value = args[k+1]
		}
		value = strings.Trim(value, `'"`)
		switch name {
		case "-name", "-iname", "--include", "-g", "--glob", "--iglob":
			if not, is := strings.CutPrefix(value, "!"); is {
				if completes(path.Base(not), "scaffoldwatch") || completes(not, ".config") {
					return true
				}
			} else if !completes(path.Base(value), "operator.nk") {
				return true
			}
		case "-path", "-wholename", "-ipath":
			if !completes(strings.ReplaceAll(value, "/", "\\"), "scaffoldwatch") && !strings.Contains(value, "scaffold") && !strings.Contains(value, ".nk") {
				return true
			}
		case "-t", "--type", "--exclude-dir", "--exclude":
			if strings.HasPrefix(name, "--exclude") && value != "scaffoldwatch" && value != ".config" && value != ".config/scaffoldwatch" && value != "credentials" && value != "*.nk" {
				continue
			}
			return true
		}
		if strings.HasPrefix(a, "-t") && len(a) > 2 && a[2] != '=' && !joined && a != "-type" {
			return true
		}
	}
	return false
}

var treeCall = pattern.Must(`copytree|os\.walk|rglob|glob\(|make_archive|cpSync|readdirSync|Find\.find|Dir\.glob|Dir\[|File::Find|scandir|walkDir|Deno\.readDir|extractall|tarfile|RecursiveDirectoryIterator|fs\.cp\b`)

// programText returns what program text, or keys typed in an editor, would do with the
// keys.
func (k *Keys) programText(text string) bool {
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`,;()[]|<>=", c) })
	walks := treeCall.MatchString(text)
	return slices.ContainsFunc(words, func(w string) bool {
		at := k.reach(w, "", true)
		return k.key(w) || keyPattern(w) || at == namesKeys || at == coversKeys && walks
	})
}

// readsByTool reports whether a tool that does not run commands reaches the keys, by
// searching a folder above them or with a pattern that expands to them.
func (k *Keys) readsByTool(call *Call) bool {
	var input struct {
		Path      string `json:"path"`
		Directory string `json:"directory"`
		Dir       string `json:"dir_path"`
		Glob      string `json:"glob"`
		Include   string `json:"include"`
		Type      string `json:"type"`
	}
	_ = json.Unmarshal(call.Input, &input)
	where := input.Path + input.Directory + input.Dir
	searches := slices.ContainsFunc(k.Searches, func(s string) bool { return strings.Contains(strings.ToLower(call.Name), s) })
	for _, p := range paths(call.Input) {
		if strings.ContainsAny(p, " ") && !strings.Contains(p, "Application Support") {
			continue
		}
		if k.reach(p, call.Directory, true) == namesKeys || keyPattern(p) {
			return true
		}
	}
	if !searches || input.Type != "" {
		return false
	}
	if only := input.Glob + input.Include; only != "" && !completes(path.Base(only), "operator.nk") {
		return false
	}
	if where == "" {
		where = "."
	}
	return k.reach(where, call.Directory, true) == coversKeys
}
