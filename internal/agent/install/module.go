package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

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
