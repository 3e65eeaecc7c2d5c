package destruct

import (
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

// substituted returns the command whose output a word is, "" for any other word.
func substituted(word string) string {
	for _, mark := range []string{"$(", "<(", "`"} {
		if _, inner, is := strings.Cut(word, mark); is {
			return inner
		}
	}
	return ""
}
