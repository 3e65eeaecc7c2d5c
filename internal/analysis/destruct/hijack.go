package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// Kinds of acts that hand control of the machine, or its secrets, to others.
const (
	Takeover Kind = "takeover"
	Leak     Kind = "leak"
)

// Hijack configures how a line runs unread code or exposes secrets.
type Hijack struct {
	Downloads []string            `yaml:"downloads"`
	Listens   []string            `yaml:"listens"`
	Decodes   map[string][]string `yaml:"decodes"` // with one of these flags
	// Fetched matches a line of PowerShell that runs what it downloads.
	Fetched *pattern.Regexp `yaml:"fetched" pattern:"long"`
	// Decoded matches a line that runs what a decoder in it prints.
	Decoded *pattern.Regexp `yaml:"decoded" pattern:"long"`
	// Rewrites are programs that rewrite text, with what their arguments then match.
	Rewrites     map[string]*pattern.Regexp `yaml:"rewrites" pattern:"long"`
	Copies       []string                   `yaml:"copies"` // programs that write what they read
	Runs         []string                   `yaml:"runs"`
	Addressed    []string                   `yaml:"addressed"`             // programs that run what an address names
	Pinned       *pattern.Regexp            `yaml:"pinned" pattern:"long"` // addresses of a published version
	Git          []string                   `yaml:"git"`                   // settings that name a program for Git
	KeyStores    []string                   `yaml:"key_stores"`
	Public       []string                   `yaml:"public"`       // endings of names that contain no secret
	Unread       []string                   `yaml:"unread"`       // programs that do not show the contents of a file
	Uploads      []string                   `yaml:"uploads"`      // flags of downloaders before a file that is sent
	Packed       []string                   `yaml:"packed"`       // endings that compressors add to a name
	Reveals      map[string][]string        `yaml:"reveals"`      // words with which a program prints a secret
	Posts        []string                   `yaml:"posts"`        // calls that send their arguments
	Environments []string                   `yaml:"environments"` // names that hold every variable
	Texts        []string                   `yaml:"texts"`        // methods that give the content of a file
	Certificates []string                   `yaml:"certificates"` // endings of files that identify a connection
	Shows        []string                   `yaml:"shows"`        // programs that print every variable
	Sends        []string                   `yaml:"sends"`        // programs that send their files to another machine
	Words        map[string]string          `yaml:"words"`        // message for each
	Instead      map[string]string          `yaml:"instead"`      // and the alternative
	EnvFiles     []string                   `yaml:"env_files"`    // sent
	SendsWords   map[string][]string        `yaml:"sends_words"`  // only with one of these
	// Packs are programs that read whole folders, KeyFolders the folders of keys.
	Packs      []string `yaml:"packs"`
	KeyFolders []string `yaml:"key_folders"`
}

// hijacked records what a line runs unread, and which secrets it shows or sends.
func (l *line) hijacked(text string) {
	h, leaks, fetched := &l.config.Hijack, leaks{l, map[string]bool{}}, fetched{l, map[string]bool{}, map[string]bool{}}
	decoded := h.Decoded.MatchString(text)
	for k := range l.all {
		i := &l.all[k]
		switch {
		case i.Elsewhere:
		case l.interprets(i) && l.fed(k, h.Downloads, nil), l.embeds(i, h.Downloads), fetched.runs(i), h.addressed(i):
			l.hijack("download-and-run", i)
		case l.interprets(i) && (l.fed(k, nil, h.Decodes) || i.Fed && h.rewritten(l.all[:k])),
			decoded && (i.Name == "eval" || h.interpreter(i.Name)):
			l.hijack("decode-and-run", i)
		case l.interprets(i) && l.fed(k, h.Listens, nil), l.connects(i):
			l.hijack("network-shell", i)
		case i.Name == "git" && l.helped(i):
			l.hijack("git-helper", i)
		case l.handedOn(i):
			l.hijack("unread-commands", i)
		}
		leaks.command(i)
		fetched.carry(k)
	}
	if h.Fetched.MatchString(text) {
		l.hijack("download-and-run", &shell.Invocation{Name: "Invoke-Expression"})
	}
	if l.bomb(text) {
		l.add(Act{Rule: "fork-bomb", Kind: Processes, Command: "endless processes", Loses: "the machine, with processes without end", Live: true})
	}
}

func (l *line) hijack(rule string, i *shell.Invocation) {
	c := &command{Invocation: i}
	kind := Takeover
	if rule == "key-read" || strings.HasPrefix(rule, "secret-") {
		kind = Leak
	}
	l.add(Act{Rule: rule, Kind: kind, Command: c.short(), Line: c.text(), Directory: i.Directory, Lost: i.Lost, Loses: l.config.Hijack.Words[rule], Back: l.config.Hijack.Instead[rule], Live: true})
}

// interpreter reports whether a program, with or without its version, runs what it is given.
func (h *Hijack) interpreter(name string) bool {
	return slices.Contains(h.Runs, name) || slices.Contains(h.Runs, strings.TrimRight(name, "0123456789."))
}

// interprets reports whether a command runs what it reads.
func (l *line) interprets(i *shell.Invocation) bool {
	if !l.config.Hijack.interpreter(i.Name) {
		return false
	}
	for k, a := range i.Args {
		switch {
		case a == "-s" || a == "-" || a == "/dev/stdin":
			return true
		case isFlag(a) && strings.HasSuffix(a, "c"):
			return k+1 >= len(i.Args) || strings.Contains(i.Args[k+1], "{}") || i.Args[k+1] == "--" && k+2 >= len(i.Args)
		case !isFlag(a):
			return false
		}
	}
	return true
}

// handedOn reports whether a command runs words of its input as command lines: a shell
// whose script comes from xargs or parallel, or system with a field in awk.
func (l *line) handedOn(i *shell.Invocation) bool {
	if l.shell.IsShell(i.Name) && i.Fed {
		last := len(i.Args) - 1
		for k, a := range i.Args {
			if isFlag(a) && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c") {
				return k == last || k+1 == last && i.Args[last] == "{}"
			}
		}
		return false
	}
	lang := l.language(i.Name)
	if lang == nil || !lang.First {
		return false
	}
	tokens := tokenize(lang.programText(i), lang.Comment)
	for k := range tokens {
		if tokens[k].kind == 'n' && tokens[k].text == "system" && k+3 < len(tokens) && tokens[k+1].kind == '(' && tokens[k+2].kind == 'n' && tokens[k+3].kind == ')' &&
			strings.Trim(tokens[k+2].text, "0123456789") == "" {
			return true
		}
	}
	return false
}

// fed reports whether a command of some names, or of some names with one of their flags,
// writes the input of another one.
func (l *line) fed(at int, names []string, flagged map[string][]string) bool {
	if !l.all[at].Fed {
		return false
	}
	return slices.ContainsFunc(l.all[:at], func(i shell.Invocation) bool {
		return slices.Contains(names, i.Name) && !slices.ContainsFunc(i.Args, func(a string) bool { return strings.HasPrefix(a, "file:") }) ||
			slices.ContainsFunc(i.Args, func(a string) bool {
				return slices.ContainsFunc(flagged[i.Name], func(f string) bool {
					return a == f || isFlag(a) && !strings.HasPrefix(a, "--") && len(f) == 2 && strings.HasSuffix(f, "d") && strings.Contains(a, "d")
				})
			})
	})
}

// rewritten reports whether a program that rewrites text is among some commands.
func (h *Hijack) rewritten(before []shell.Invocation) bool {
	return slices.ContainsFunc(before, func(i shell.Invocation) bool {
		told := h.Rewrites[i.Name]
		return told != nil && told.MatchString(strings.Join(i.Args, " "))
	})
}

// addressed reports whether a command runs a program that an address on another machine names: npx runs
// the address in its place.
func (h *Hijack) addressed(i *shell.Invocation) bool {
	address := i.Word
	if slices.Contains(h.Addressed, i.Name) {
		at := slices.IndexFunc(i.Args, func(a string) bool { return !isFlag(a) && !slices.Contains(leading, a) })
		if at < 0 {
			return false
		}
		address = i.Args[at]
	}
	web := strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
	return web && !local(address) && !h.Pinned.MatchString(address)
}

// leading are subcommands before what is run; here are addresses of this machine.
var (
	leading = []string{"run", "serve", "install"}
	here    = []string{"://localhost", "://127.", "://0.0.0.0", "://[::1]"}
)

// local reports whether a text contains an address on this machine.
func local(text string) bool {
	return slices.ContainsFunc(here, func(a string) bool { return strings.Contains(text, a) })
}

// embeds reports whether a shell's script is the output of a download.
func (l *line) embeds(i *shell.Invocation, names []string) bool {
	if !l.config.Hijack.interpreter(i.Name) && i.Name != "eval" {
		return false
	}
	return slices.ContainsFunc(i.Args, func(a string) bool {
		inner := substituted(a)
		return inner != "" && slices.ContainsFunc(strings.FieldsFunc(inner, func(c rune) bool { return strings.ContainsRune(" \t\n|;&()", c) }), func(w string) bool { return slices.Contains(names, path.Base(w)) })
	}) || l.opens(i)
}

// opens reports whether a shell reads from another machine: bash < /dev/tcp/….
func (l *line) opens(i *shell.Invocation) bool {
	return len(i.Outputs) == 0 && slices.ContainsFunc(i.Files, func(f string) bool { return strings.HasPrefix(f, "/dev/tcp/") || strings.HasPrefix(f, "/dev/udp/") })
}

// substituted returns the command whose output a word is, "" for any other word.
func substituted(word string) string {
	for _, mark := range []string{"$(", "<(", "`"} {
		if _, inner, is := strings.Cut(word, mark); is {
			return inner
		}
	}
	return ""
}

// connects reports whether a command gives a shell to another machine.
func (l *line) connects(i *shell.Invocation) bool {
	all := strings.Join(i.Args, " ")
	shells := func(text string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,:'\"=/", c) }), func(w string) bool {
			return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh", "ash", "SHELL"}, w)
		})
	}
	switch i.Name {
	case "nc", "ncat", "netcat":
		_, after, exec := strings.Cut(" "+all, " -e")
		if !exec {
			_, after, exec = strings.Cut(all, "-exec")
		}
		return exec && shells(after) && len(i.Args) > 2
	case "socat":
		return strings.Contains(all, "EXEC:") && shells(all[strings.Index(all, "EXEC:"):]) || strings.Contains(all, "SHELL") || strings.Contains(all, "SYSTEM:") && shells(all)
	case "bash", "sh", "zsh":
		return slices.ContainsFunc(i.Files, func(f string) bool { return strings.HasPrefix(f, "/dev/tcp/") }) && len(i.Files) > 1 ||
			slices.Contains(i.Args, "-i") && slices.ContainsFunc(i.Files, func(f string) bool { return strings.HasPrefix(f, "/dev/tcp/") })
	}
	return false
}

// helped reports whether a line specifies the program that Git runs for a connection.
func (l *line) helped(i *shell.Invocation) bool {
	names := func(text string) bool {
		return slices.ContainsFunc(l.config.Hijack.Git, func(g string) bool {
			return strings.HasPrefix(strings.ToLower(text), g+"=") || strings.HasSuffix(strings.ToLower(text), "="+g)
		})
	}
	word, setting := "", slices.ContainsFunc(i.Assigned, names)
	for k := 0; k < len(i.Args); k++ {
		a := clean(i.Args[k])
		switch {
		case a == "-c" && k+1 < len(i.Args):
			setting = setting || names(i.Args[k+1])
			k++
		case strings.HasPrefix(a, "-c"):
			setting = setting || names(a[2:])
		case !isFlag(a) && word == "":
			word = a
			if word == "remote" {
				word = i.Args[len(i.Args)-1]
			}
		}
	}
	return setting && slices.Contains([]string{"fetch", "pull", "push", "clone", "ls-remote", "update", "submodule"}, word)
}

// bomb reports whether a line starts processes endlessly.
func (l *line) bomb(text string) bool {
	for _, loop := range l.shell.Loops(text) {
		if loop.Endless && loop.Parallel {
			return true
		}
	}
	for rest := text; ; {
		before, after, is := strings.Cut(rest, "(){")
		if !is {
			if before, after, is = strings.Cut(rest, "() {"); !is {
				return false
			}
		}
		words := strings.FieldsFunc(before, func(c rune) bool { return strings.ContainsRune(" \t\n;&|", c) })
		body, _, _ := strings.Cut(after, "}")
		if len(words) > 0 && strings.Contains(body, "&") && slices.Contains(strings.FieldsFunc(body, func(c rune) bool { return strings.ContainsRune(" \t\n;&|", c) }), words[len(words)-1]) {
			return true
		}
		rest = after
	}
}
