package experiment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/checkrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Command is a check, as a project defines it.
type Command struct {
	Kind sessionevents.CheckKind
	Args []string
	From string // the file that names it
}

// Line returns the command as a person would type it.
func (c Command) Line() string { return strings.Join(c.Args, " ") }

// section is the section ownchecks of the rule data, which documents each value.
type section struct {
	Tasks []struct {
		File    string                               `yaml:"file"`
		Scripts bool                                 `yaml:"scripts"`
		Task    *pattern.Regexp                      `yaml:"task" pattern:"lines,optional"`
		Run     []string                             `yaml:"run"`
		Instead map[string]string                    `yaml:"instead"`
		Names   map[sessionevents.CheckKind][]string `yaml:"names"`
	} `yaml:"tasks"`
	CI struct {
		Files   []string        `yaml:"files"`
		Command *pattern.Regexp `yaml:"command" pattern:"lines"`
		Not     *pattern.Regexp `yaml:"not"`
	} `yaml:"ci"`
	Manifests []struct {
		File  string   `yaml:"file"`
		Test  []string `yaml:"test"`
		Build []string `yaml:"build"`
		Lint  []string `yaml:"lint"`
	} `yaml:"manifests"`
	Environment *pattern.Regexp `yaml:"environment"`
}

// Finder finds and runs the checks of projects.
type Finder struct {
	section
	checks *checkrun.Reader
}

// New compiles the section ownchecks of the rule data.
func New(set *rules.Set) (*Finder, error) {
	f := &Finder{}
	if err := set.Decode("ownchecks", &f.section); err != nil {
		return nil, err
	}
	commands, err := shell.New(set)
	if err != nil {
		return nil, err
	}
	if f.checks, err = checkrun.New(set, commands); err != nil {
		return nil, err
	}
	return f, nil
}

// maxSource limits how much of a file that names checks is read.
const maxSource = 1 << 20

// Find returns a project's own check of a kind: test, build or lint.
func (f *Finder) Find(root string, kind sessionevents.CheckKind) (Command, bool) {
	for _, find := range []func(string, sessionevents.CheckKind) (Command, bool){f.task, f.inCI, f.byManifest} {
		if c, found := find(root, kind); found {
			return c, true
		}
	}
	return Command{}, false
}

func source(root, name string) string {
	file := filepath.Join(root, name)
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}

func (f *Finder) task(root string, kind sessionevents.CheckKind) (Command, bool) {
	for i, t := range f.Tasks {
		text := source(root, t.File)
		if text == "" {
			continue
		}
		var named []string
		if t.Scripts {
			named = scripts(text)
		} else {
			for _, m := range f.Tasks[i].Task.FindAllStringSubmatch(text, -1) {
				named = append(named, m[1])
			}
		}
		for _, name := range t.Names[kind] {
			if !slices.Contains(named, name) {
				continue
			}
			run := slices.Clone(t.Run)
			for beside, program := range t.Instead {
				if _, err := os.Stat(filepath.Join(root, beside)); err == nil {
					run[0] = program
				}
			}
			return Command{Kind: kind, Args: append(run, name), From: t.File}, true
		}
	}
	return Command{}, false
}

// scripts returns the names of a package's scripts, without npm's placeholder.
func scripts(text string) (names []string) {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(text), &p) != nil {
		return nil
	}
	for name, command := range p.Scripts {
		if !strings.Contains(command, "no test specified") {
			names = append(names, name)
		}
	}
	return names
}

func (f *Finder) inCI(root string, kind sessionevents.CheckKind) (Command, bool) {
	for _, glob := range f.CI.Files {
		files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(glob)))
		for _, file := range files {
			name, _ := filepath.Rel(root, file)
			for _, m := range f.CI.Command.FindAllStringSubmatch(source(root, name), -1) {
				if f.CI.Not.MatchString(m[1]) {
					continue
				}
				checks := f.checks.Checks(m[1], checkrun.Result{})
				if len(checks) == 1 && (checks[0].Kind == kind || kind == sessionevents.CheckLint && checks[0].Kind == sessionevents.CheckTypes) && !strings.ContainsAny(m[1], `"'`) {
					return Command{Kind: kind, Args: strings.Fields(m[1]), From: filepath.ToSlash(name)}, true
				}
			}
		}
	}
	return Command{}, false
}

func (f *Finder) byManifest(root string, kind sessionevents.CheckKind) (Command, bool) {
	for _, m := range f.Manifests {
		args := map[sessionevents.CheckKind][]string{sessionevents.CheckTest: m.Test, sessionevents.CheckBuild: m.Build, sessionevents.CheckLint: m.Lint}[kind]
		if len(args) == 0 {
			continue
		}
		if files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.File))); len(files) > 0 {
			name, _ := filepath.Rel(root, files[0])
			return Command{Kind: kind, Args: args, From: filepath.ToSlash(name)}, true
		}
	}
	return Command{}, false
}

// IsFolder reports whether a path is a folder of this machine.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
