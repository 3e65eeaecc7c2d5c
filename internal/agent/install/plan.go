package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// DefaultAddress is the default address of `up`.
const DefaultAddress = "127.0.0.1:8420"

// DefaultURL is the default URL of `scaffoldwatch up`.
const DefaultURL = "http://" + DefaultAddress

// ClientName is the name of the program that hooks run.
const ClientName = "scaffoldwatch-hook"

// BackupSuffix is added to the name of a file that is changed; the copy holds the file as it would be
// without us.
const BackupSuffix = ".before-scaffoldwatch"

// Plan describes what to install where.
type Plan struct {
	Settings    *Settings           // settings of the agent
	Scope       Scope               // whose settings
	Home        string              // absolute; for ScopeUser
	Directory   string              // absolute path of the project, for ScopeProject
	Environment func(string) string // os.Getenv; can name other folders of settings
	URL         string              // URL of the system, http or https, without a path
	Program     string              // scaffoldwatch, as the agent's shell finds it
	Client      string              // scaffoldwatch-hook, which starts faster; "" uses Program
	Token       bool                // the system requires the bearer token in SCAFFOLDWATCH_HOOK_TOKEN
	FailClosed  bool                // deny every tool while the system does not answer
	line        string              // what a plugin's hooks run instead of a program
}

// programName is what the name of our program must contain, so that our handlers can be recognised.
var programName = pattern.Must(`^scaffoldwatch[^\s/\\]*$`)

func (p Plan) validate() error {
	if p.Client == "" && !programName.MatchString(filepath.Base(p.Program)) {
		return fmt.Errorf("the hooks call %q; the program's name must begin with scaffoldwatch and contain no spaces, so that uninstall recognises it", p.Program)
	}
	return CheckURL(p.URL)
}

// CheckURL returns an error unless the address of a system is valid.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err == nil && u.User != nil {
		return fmt.Errorf("%q is not an address of a system: it must not contain user and password; set %s to the token where the agent runs", u.Redacted(), tokenVariable)
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return fmt.Errorf("%q is not an address of a system; use one such as %s", address, DefaultURL)
	}
	return nil
}

// file is the current settings file.
type file struct {
	name   string // links are followed
	data   []byte
	exists bool
}

func read(path string) (file, error) {
	f := file{name: path}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		f.name = target
	}
	data, err := os.ReadFile(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, fmt.Errorf("read the settings: %w", err)
	}
	f.data, f.exists = data, true
	return f, nil
}

// Install computes the file with our hooks; hooks of an earlier installation are replaced.
func (p Plan) Install() (Change, error) {
	a, f, err := p.look()
	if err != nil {
		return Change{}, err
	}
	if err := p.validate(); err != nil {
		return Change{}, err
	}
	if a.Module != "" {
		return p.installModule(f)
	}
	d, err := parse(f.name, f.data)
	if err != nil {
		return Change{}, err
	}
	if current, err := a.current(d, p); err != nil || current {
		return Change{Path: f.name, Before: f.data, Existed: f.exists, After: f.data, Notes: a.notes(d, p)}, err
	}
	had, err := a.strip(d, false)
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w", f.name, err)
	}
	without := f.data
	if had > 0 {
		without = d.bytes()
	}
	if err := a.add(d, p); err != nil {
		return Change{}, fmt.Errorf("%s: %w", f.name, err)
	}
	c := Change{Path: f.name, Before: f.data, Existed: f.exists, After: d.bytes(), Notes: a.notes(d, p)}
	if f.exists && (had == 0 || !exists(f.name+BackupSuffix) && !a.bare(without)) {
		c.Backup, c.backup = f.name+BackupSuffix, without
	}
	return c, nil
}

// Uninstall computes the file without our hooks: exactly the original file if nothing else was changed
// since.
func (p Plan) Uninstall() (Change, error) {
	a, f, err := p.look()
	if err != nil {
		return Change{}, err
	}
	if a.Module != "" {
		return p.uninstallModule(f), nil
	}
	d, err := parse(f.name, f.data)
	if err != nil {
		return Change{}, err
	}
	removed, err := a.strip(d, false)
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w", f.name, err)
	}
	c := Change{Path: f.name, Before: f.data, Existed: f.exists, After: f.data}
	if removed == 0 {
		return c, nil
	}
	c.After = d.bytes()
	backup, err := read(f.name + BackupSuffix)
	if err == nil {
		err = p.inside(backup.name)
	}
	if err != nil {
		return Change{}, err
	}
	switch {
	case backup.exists && a.same(backup.data, c.After):
		c.After, c.Restored = backup.data, backup.name
	case backup.exists:
		c.Kept = backup.name
	case a.bare(c.After):
		c.After, c.Remove = nil, true
	}
	return c, nil
}

// look finds the settings file and reads it.
func (p Plan) look() (*Settings, file, error) {
	a := p.Settings
	path, err := a.path(p)
	if err != nil {
		return a, file{}, err
	}
	f, err := read(path)
	if err == nil {
		err = p.inside(f.name)
	}
	return a, f, err
}

// inside rejects a project's file if a link leads out of the project: a repository's links must not
// determine which of a person's files is changed.
func (p Plan) inside(name string) error {
	if p.Scope != ScopeProject {
		return nil
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is created inside the project
	}
	root, rootErr := filepath.EvalSymlinks(p.Directory)
	if err := errors.Join(err, rootErr); err != nil {
		return fmt.Errorf("find the project's settings: %w", err)
	}
	if below, err := filepath.Rel(root, folder); err != nil || !filepath.IsLocal(below) {
		return fmt.Errorf("%s is outside of the project %s, reached through a link; nothing was changed", name, p.Directory)
	}
	return nil
}

// same reports whether two files differ only in white space and in what we write.
func (a *Settings) same(one, other []byte) bool {
	x, err := a.essence(one)
	if err != nil {
		return false
	}
	y, err := a.essence(other)
	return err == nil && bytes.Equal(x, y)
}

// bare reports whether a file holds nothing but what an empty one would.
func (a *Settings) bare(data []byte) bool { return a.same(data, []byte("{}")) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// essence returns a file without our hooks and without white space outside of strings and comments.
func (a *Settings) essence(data []byte) ([]byte, error) {
	d, err := parse("settings", data)
	if err != nil {
		return nil, err
	}
	if _, err := a.strip(d, true); err != nil {
		return nil, err
	}
	if at, err := member(d.root, "version", "version"); err == nil && at >= 0 && a.Version > 0 {
		removeMember(d.root, at) // installing adds it if it is missing
	}
	for v := range d.value.All() {
		tighten(&v.BeforeExtra)
		tighten(&v.AfterExtra)
		switch inner := v.Value.(type) {
		case *hujson.Object:
			tighten(&inner.AfterExtra)
		case *hujson.Array:
			tighten(&inner.AfterExtra)
		}
	}
	return d.value.Pack(), nil
}

// tighten reduces white space and comments to the comments, each with the line break that may end it.
func tighten(extra *hujson.Extra) {
	text := bytes.TrimSpace(*extra)
	if len(text) == 0 {
		*extra = nil
		return
	}
	*extra = append(bytes.Clone(text), '\n')
}

// moduleCommand is replaced in a module by the program with its arguments, a list in JSON.
const moduleCommand = "COMMAND"

// module returns the file that an agent loads as code, with the program that it runs.
func (p Plan) module() ([]byte, error) {
	command, err := json.Marshal(p.words(p.Settings.Agent))
	if err != nil {
		return nil, fmt.Errorf("write the plugin: %w", err)
	}
	return []byte(strings.Replace(p.Settings.Module, moduleCommand, string(command), 1)), nil
}

// isModule reports whether a file is such a module of ours, of this version or an earlier one: it begins as
// ours do.
func (a *Settings) isModule(data []byte) bool {
	first, _, _ := strings.Cut(a.Module, "\n")
	return bytes.HasPrefix(data, []byte(first))
}

// moduleWords returns the program and its arguments of an installed module.
func (a *Settings) moduleWords(data []byte) []string {
	before, _, _ := strings.Cut(a.Module, moduleCommand)
	mark := before[strings.LastIndexByte(before, '\n')+1:]
	var words []string
	for line := range strings.Lines(string(data)) {
		if list, ok := strings.CutPrefix(line, mark); ok && json.Unmarshal([]byte(list), &words) == nil {
			return words
		}
	}
	return nil
}

// installModule computes the file of a module. A file of that name which is not ours stays.
func (p Plan) installModule(f file) (Change, error) {
	a := p.Settings
	if f.exists && !a.isModule(f.data) {
		return Change{}, fmt.Errorf("%s is not ours; nothing was changed. Rename it, then install again", f.name)
	}
	after, err := p.module()
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: f.name, Before: f.data, Existed: f.exists, After: after}
	if a.Trust != "" && !c.Empty() {
		c.Notes = append(c.Notes, a.Trust)
	}
	if p.Token {
		c.Notes = append(c.Notes, tokenNote)
	}
	return c, nil
}

// uninstallModule computes the removal of a module; another file of that name stays.
func (p Plan) uninstallModule(f file) Change {
	ours := f.exists && p.Settings.isModule(f.data)
	return Change{Path: f.name, Before: f.data, Existed: f.exists, After: f.data, Remove: ours}
}

// notes returns what a person has to know or do in addition to the change.
func (a *Settings) notes(d document, p Plan) []string {
	var notes []string
	if a.Trust != "" {
		notes = append(notes, a.Trust)
	}
	if len(a.Off) > 0 && d.literal(a.Off) == a.OffWhen {
		notes = append(notes, fmt.Sprintf("%s is %s in this file: no hook runs until that changes.", strings.Join(a.Off, "."), a.OffWhen))
	}
	if p.Token {
		notes = append(notes, tokenNote)
	}
	return notes
}

// tokenNote says what the agent needs for a system with a token.
const tokenNote = "The system wants a token: set " + tokenVariable + " to http.token where the agent runs."

// literal returns the raw value at a path of names, or "".
func (d document) literal(names []string) string {
	value := hujson.Value{Value: d.root}
	for _, name := range names {
		o, ok := value.Value.(*hujson.Object)
		if !ok {
			return ""
		}
		at, err := member(o, name, name)
		if err != nil || at < 0 {
			return ""
		}
		value = o.Members[at].Value
	}
	l, ok := value.Value.(hujson.Literal)
	if !ok {
		return ""
	}
	return string(l)
}
