package segment

import (
	"fmt"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// toolConfig is the section "tools" of the rules.
type toolConfig struct {
	Tools   []tool       `yaml:"tools"`
	Fields  fieldNames   `yaml:"fields"`
	Guess   guessWords   `yaml:"guess"`
	Editing editingWords `yaml:"editing"`
}

type tool struct {
	ID        string                                 `yaml:"id"`
	Names     []string                               `yaml:"names"`
	Canonical sessionevents.CanonicalTool            `yaml:"canonical"`
	Verb      string                                 `yaml:"verb"`
	Verbs     map[string]sessionevents.CanonicalTool `yaml:"verbs"`
	Unless    []string                               `yaml:"unless"`
	Otherwise sessionevents.CanonicalTool            `yaml:"otherwise"`
	ZeroBased bool                                   `yaml:"zero_based"`
	Form      string                                 `yaml:"form"`
}

// fieldNames lists input fields by their content.
type fieldNames struct {
	Path       []string `yaml:"path"`
	Paths      []string `yaml:"paths"`
	Folder     []string `yaml:"folder"`
	Pattern    []string `yaml:"pattern"`
	Flags      []string `yaml:"flags"`
	Command    []string `yaml:"command"`
	Workdir    []string `yaml:"workdir"`
	Content    []string `yaml:"content"`
	Old        []string `yaml:"old"`
	New        []string `yaml:"new"`
	Edits      []string `yaml:"edits"`
	Patch      []string `yaml:"patch"`
	InsertLine []string `yaml:"insert_line"`
	Offset     []string `yaml:"offset"`
	Limit      []string `yaml:"limit"`
	End        []string `yaml:"end"`
	Range      []string `yaml:"range"`
	URL        []string `yaml:"url"`
	Items      []string `yaml:"items"`
	ItemText   []string `yaml:"item_text"`
	ItemStatus []string `yaml:"item_status"`
	ItemID     []string `yaml:"item_id"`
}

type toolTable struct {
	fields  fieldNames
	guess   guessWords
	editing editingWords
	byName  map[string]*tool
}

var unknownTool = &tool{Canonical: sessionevents.ToolOther}

func newToolTable(set *rules.Set) (*toolTable, error) {
	var c toolConfig
	if err := set.Decode("tools", &c); err != nil {
		return nil, fmt.Errorf("load tools: %w", err)
	}
	t := &toolTable{fields: c.Fields, guess: c.Guess, editing: c.Editing, byName: map[string]*tool{}}
	for i := range c.Tools {
		for _, name := range c.Tools[i].Names {
			t.byName[name] = &c.Tools[i] // as agents write it, found without folding case
			if key := foldName(name); t.byName[key] == nil {
				t.byName[key] = &c.Tools[i]
			}
		}
	}
	return t, nil
}

// WorkdirFields returns the input fields that name the folder in which a call works; the first one present counts.
func WorkdirFields(set *rules.Set) ([]string, error) {
	var c toolConfig
	if err := set.Decode("tools", &c); err != nil {
		return nil, fmt.Errorf("load tools: %w", err)
	}
	return c.Fields.Workdir, nil
}

var nameFolder = strings.NewReplacer("_", "", "-", "")

func foldName(name string) string { return nameFolder.Replace(strings.ToLower(name)) }

// lookup returns a tool by the agent's name for it.
func (t *toolTable) lookup(name string) *tool {
	if found := t.byName[name]; found != nil {
		return found
	}
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:] // mcp__server__tool
	}
	if found := t.byName[foldName(name)]; found != nil {
		return found
	}
	return unknownTool
}

// canonical returns the canonical tool of a call, given its input.
func (t *tool) canonical(in *input) sessionevents.CanonicalTool {
	if t.Verb != "" {
		if c, ok := t.Verbs[in.text(t.Verb)]; ok {
			return c
		}
	}
	if len(t.Unless) > 0 && in.text(t.Unless...) != "" {
		return t.Otherwise
	}
	return t.Canonical
}
