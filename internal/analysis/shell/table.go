package shell

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Table is the data of rules/shell.yaml.
type Table struct {
	MaxInput int       `yaml:"max_input"` // in bytes, without heredoc bodies
	MaxItems int       `yaml:"max_items"` // accesses and writes kept per command line
	MaxLoop  int       `yaml:"max_loop"`  // items of a for loop that are followed
	MaxSteps int       `yaml:"max_steps"` // statements walked, including loop rounds
	Shells   []string  `yaml:"shells"`
	Quiet    []string  `yaml:"quiet"`
	Wrappers []Wrapper `yaml:"wrappers"`
	Carriers []Carrier `yaml:"carriers"`
	// Rooms run a command in a container or on another machine: it checks as it would here, and changes nothing here.
	Rooms []Wrapper `yaml:"rooms"`
	// Options are options of programs whose value is a command line.
	Options    map[string][]string `yaml:"options"`
	Scripts    map[string][]string `yaml:"scripts"` // kind → words in script names
	Commands   []Command           `yaml:"commands"`
	CodeWrites []string            `yaml:"code_writes"`
}

// Wrapper is a command that runs another one.
type Wrapper struct {
	ID     string   `yaml:"id"`
	Words  []string `yaml:"words"`  // if it is more than one word
	Skip   int      `yaml:"skip"`   // positional words before the command
	Values []string `yaml:"values"` // flags whose next word is a value
	// Directory are flags whose next word is the folder in which the command runs.
	Directory []string `yaml:"directory"`
	Partial   bool     `yaml:"partial"` // further operands come from its input
	Kinds     []string `yaml:"kinds"`
}

// Command is one command or subcommand; the comments in rules/shell.yaml explain each
// field.
type Command struct {
	ID        string    `yaml:"id"`
	Names     []string  `yaml:"names"` // default: the id
	Access    string    `yaml:"access"`
	Operands  string    `yaml:"operands"`
	Values    []string  `yaml:"values"`
	Patterns  []string  `yaml:"patterns"` // flags that give the pattern in place of an operand
	Keep      []string  `yaml:"keep"`     // search flags that affect the results
	Effects   []string  `yaml:"effects"`  // flags that make a fetch a change
	InPlace   []string  `yaml:"inplace"`  // flags that make a read rewrite its operands
	Fixes     []string  `yaml:"fixes"`    // flags that make a check rewrite files
	Dry       []string  `yaml:"dry"`      // flags that stop a rewrite
	Code      []string  `yaml:"code"`     // flags whose value is program text
	Module    []string  `yaml:"module"`   // flags whose value is a command
	Directory []string  `yaml:"directory"`
	Kinds     []string  `yaml:"kinds"`
	Changes   string    `yaml:"changes"`
	Form      string    `yaml:"form"`
	Sub       []Command `yaml:"sub"`

	sub map[string]*Command
}

// Parser reads command lines by a table. It is safe for concurrent use.
type Parser struct {
	table    Table
	commands map[string]*Command
	wrappers map[string][]*Wrapper // by first word, the longest first
	quiet    map[string]bool
	shells   map[string]bool
	scripts  map[string]string // word → kind
	options  map[string][]string
	carriers map[string][]*Carrier // by first word
}

// New returns a parser for the section "shell" of the rules.
func New(set *rules.Set) (*Parser, error) {
	var t Table
	if err := set.Decode("shell", &t); err != nil {
		return nil, fmt.Errorf("load shell table: %w", err)
	}
	return newParser(t), nil
}

func newParser(t Table) *Parser {
	p := &Parser{
		options: t.Options, table: t, commands: index(t.Commands), wrappers: map[string][]*Wrapper{},
		quiet: set(t.Quiet), shells: set(t.Shells), scripts: map[string]string{}, carriers: map[string][]*Carrier{},
	}
	for i := range t.Carriers {
		c := &t.Carriers[i]
		if len(c.Words) == 0 {
			c.Words = []string{c.ID}
		}
		p.carriers[c.Words[0]] = append(p.carriers[c.Words[0]], c)
	}
	for i := range t.Rooms {
		if r := &t.Rooms[i]; len(r.Words) == 0 {
			r.Words = []string{r.ID}
		}
	}
	for i := range t.Wrappers {
		w := &t.Wrappers[i]
		if len(w.Words) == 0 {
			w.Words = []string{w.ID}
		}
		first := w.Words[0]
		p.wrappers[first] = append(p.wrappers[first], w)
	}
	for kind, words := range t.Scripts {
		for _, word := range words {
			p.scripts[word] = kind
		}
	}
	return p
}

// index maps every name to its command; the first entry with a name counts.
func index(commands []Command) map[string]*Command {
	out := make(map[string]*Command, len(commands))
	for i := range commands {
		c := &commands[i]
		c.sub = index(c.Sub)
		names := c.Names
		if len(names) == 0 {
			names = []string{c.ID}
		}
		for _, name := range names {
			if _, taken := out[name]; !taken {
				out[name] = c
			}
		}
	}
	return out
}

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// scriptKinds classifies a script, target or file name by the words in it.
func (p *Parser) scriptKinds(name string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if kind, ok := p.scripts[word]; ok {
			out = append(out, kind)
		}
	}
	return out
}

// IsShell reports whether a program with this name is a shell.
func (p *Parser) IsShell(name string) bool { return p.shells[name] }
