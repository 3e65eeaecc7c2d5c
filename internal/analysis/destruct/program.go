package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// Language is a language in which a command line may contain programs.
type Language struct {
	ID      string   `yaml:"id"`
	Names   []string `yaml:"names"`   // of its interpreters, without a version
	Flags   []string `yaml:"flags"`   // flags whose value is program text
	Comment string   `yaml:"comment"` // the beginning of a comment
	Bare    bool     `yaml:"bare"`    // calls need no parentheses
	First   bool     `yaml:"first"`   // the first operand is the program
	Checks  string   `yaml:"checks"`  // letters of flags with which a program is only checked
	Values  []string `yaml:"values"`  // flags whose next word is a value
	Tags    []string `yaml:"tags"`    // names before a command in backticks that run it
	Word    string   `yaml:"word"`    // the subcommand that runs a file
}

// program is program text being analyzed.
type program struct {
	line     *line
	language *Language
	at       *shell.Invocation
	tokens   []token
	strings  map[string]value
	held     map[string]bool // variables that hold a secret
	depth    int             // nesting of program text in program text
}

// value is the known value of an argument.
type value struct {
	texts []string // of a list, or a single text
	open  bool     // known only at run time
	list  bool
}

// language returns the language of an interpreter, nil for any other program.
func (r *Reader) language(name string) *Language {
	base := strings.TrimRight(name, "0123456789.")
	for i := range r.config.Languages {
		if l := &r.config.Languages[i]; slices.Contains(l.Names, name) || slices.Contains(l.Names, base) {
			return l
		}
	}
	return nil
}

// programText returns the program that an interpreter is given: inline, or as its input.
func (lang *Language) programText(i *shell.Invocation) string {
	for k, a := range i.Args {
		switch {
		case lang.First && !isFlag(a):
			return a
		case lang.First && (a == "-f" || a == "--file"):
			return ""
		case slices.Contains(lang.Flags, a) && k+1 < len(i.Args):
			return i.Args[k+1]
		case isFlag(a) && !strings.HasPrefix(a, "--") && len(a) > 2 && k+1 < len(i.Args) &&
			!slices.Contains(lang.Values, a[:2]) && slices.Contains(lang.Flags, "-"+a[len(a)-1:]):
			return i.Args[k+1]
		case a == "-":
			return i.Input
		case lang.First, isFlag(a):
		case slices.Contains(lang.Flags, a):
		default:
			return "" // a file
		}
	}
	return i.Input
}

// program analyzes the program text of an interpreter.
func (l *line) program(i *shell.Invocation) {
	lang := l.language(i.Name)
	if lang == nil || i.Elsewhere {
		return
	}
	if text := lang.programText(i); text != "" && len(text) <= maxProgram {
		l.programText(i, lang, text)
	}
}

// programText analyzes program text.
func (l *line) programText(i *shell.Invocation, lang *Language, text string) {
	text = imports.ReplaceAllString(text, "${1}${2}")
	p := &program{
		line: l, language: lang, at: i, tokens: tokenize(text, lang.Comment),
		strings: map[string]value{}, held: map[string]bool{},
	}
	rename(p.tokens)
	for k := 0; k < len(p.tokens); k++ {
		p.token(k)
	}
}

const maxProgram = 64 << 10

// imports are modules that are used where they are imported: they are read as their names.
var imports = pattern.Must(`\b(?:__import__|import_module)\(\s*["'](\w+)["']\s*\)|\brequire\(\s*["'](?:node:)?(\w+)[\w/-]*["']\s*\)`)

// token handles what begins at a token: an assignment, a call, a command in backticks.
func (p *program) token(k int) {
	t := p.tokens[k]
	switch {
	case t.kind == 'c' && p.language.Bare:
		p.run(value{texts: []string{t.text}, open: t.open})
	case p.language.First && t.kind == 's' && p.is(k+1, '|') && p.is(k+2, 'n') && p.tokens[k+2].text == "getline":
		p.run(value{texts: []string{t.text}})
	case p.language.First && (t.kind == '>' || t.kind == '|') && k+1 < len(p.tokens) && p.tokens[k+1].kind == 's':
		p.redirect(k)
	case t.kind == '&' && p.is(k+1, ':') && p.is(k+2, 'n') && p.language.Bare:
		p.each(k, p.tokens[k+2].text)
	case t.kind != 'n':
	case p.is(k+1, 'c') && slices.Contains(p.language.Tags, t.text):
		p.run(value{texts: []string{p.tokens[k+1].text}, open: p.tokens[k+1].open})
	case p.is(k+1, '=') && !p.is(k+2, '='):
		p.assign(k, k+2)
	case p.is(k+1, ',') && p.is(k+2, 'n') && p.is(k+3, '=') && !p.is(k+4, '='): // folder, err := …
		p.assign(k, k+4)
	case t.text == "as" && p.is(k+1, 'n'): // with open(…) as f
		if p.secretBefore(k) {
			p.held[p.tokens[k+1].text] = true
		}
	case p.is(k+1, '('):
		args := p.arguments(k + 2)
		p.called(k, t.text, args)
	case p.language.Bare && (p.is(k+1, 's') || p.is(k+1, 'n')):
		args := p.arguments(k + 1)
		p.called(k, t.text, args)
	case p.language.Bare && (strings.Contains(t.text, ".") || k > 0 && p.is(k-1, '.')):
		p.called(k, t.text, nil)
	}
}

// each handles a method that is called on every part of what a text names: Pathname("x").children.each(&:rmtree).
func (p *program) each(k int, method string) {
	removes := slices.ContainsFunc(p.line.config.Calls, func(c Call) bool {
		return c.Receiver && c.Does == "remove" && slices.Contains(c.Names, "."+method)
	})
	for from := k; removes && from > 0 && !strings.ContainsRune("\n;", rune(p.tokens[from].kind)); from-- {
		if t := p.tokens[from-1]; t.kind == 's' {
			p.files(value{texts: []string{t.text}, open: t.open}, "tree")
			return
		}
	}
}

// join handles a call that joins the parts of a path, and returns where it ends, k for any other.
func (p *program) join(k int, v *value) int {
	named := func(j string) bool { return calls(p.tokens[k].text, j) }
	if !p.is(k+1, '(') || !slices.ContainsFunc(p.line.config.Joins, named) {
		return k
	}
	parts := make([]string, 0, maxArguments)
	for _, a := range p.arguments(k + 2) {
		if len(a.texts) == 1 && !a.open {
			parts = append(parts, a.texts[0])
		} else {
			parts, v.open = append(parts, "$x"), true
		}
	}
	v.texts = append(v.texts, path.Join(parts...))
	return p.closes(k + 1)
}

// closes returns the token that closes the bracket at a token, or the end.
func (p *program) closes(k int) int {
	for depth := 0; k < len(p.tokens); k++ {
		if p.is(k, '(') {
			depth++
		} else if p.is(k, ')') {
			depth--
		}
		if depth == 0 {
			break
		}
	}
	return k
}

// assign records what a variable holds from here on.
func (p *program) assign(k, from int) {
	name := p.tokens[k].text
	v, end := p.value(from)
	p.strings[name] = v
	p.held[name] = p.holds(from, end)
}

func (p *program) is(k int, kind byte) bool { return k < len(p.tokens) && p.tokens[k].kind == kind }

// redirect handles print > "file" and print | "command" of awk.
func (p *program) redirect(k int) {
	v := value{texts: []string{p.tokens[k+1].text}}
	switch {
	case p.tokens[k].kind == '|' && p.line.shell.IsShell(v.texts[0]) && p.at.Input != "":
		p.run(value{texts: []string{p.at.Input}}) // its lines are printed to the shell
	case p.tokens[k].kind == '|':
		p.run(v)
	case k == 0 || p.tokens[k-1].kind != '>':
		p.files(v, "write")
	}
}

// arguments returns the arguments from a token to the bracket, or end of the line, that
// closes them.
func (p *program) arguments(k int) (out []value) {
	for k < len(p.tokens) && p.tokens[k].kind != ')' && p.tokens[k].kind != ';' && len(out) < maxArguments {
		v, next := p.value(k)
		out = append(out, v)
		if next <= k {
			next = k + 1
		}
		k = next
		if p.is(k, ',') {
			k++
		} else if k < len(p.tokens) && p.tokens[k].kind != ')' {
			break
		}
	}
	return out
}

const maxArguments = 64

// value parses an expression up to the comma, bracket or end that closes it.
func (p *program) value(k int) (v value, end int) {
	depth, parts := 0, 0
	for ; k < len(p.tokens); k++ {
		switch t := p.tokens[k]; t.kind {
		case 's', 'c':
			v.texts, v.open = append(v.texts, t.text), v.open || t.open
			parts++
		case 'n':
			if end := p.join(k, &v); end > k {
				k = end
				parts++
				continue
			}
			p.named(k, &v, &parts)
		case '[', '(', '{':
			v.list = v.list || depth == 0 && t.kind == '['
			depth++
		case ']', ')', '}':
			if depth == 0 {
				return p.joined(v, parts), k
			}
			depth--
		case '+':
			if !v.list {
				v.open, parts = true, parts+1
			}
		case ',':
			if depth == 0 {
				return p.joined(v, parts), k
			}
		case ';', '\n':
			if depth == 0 {
				return p.joined(v, parts), k
			}
		}
	}
	return p.joined(v, parts), k
}

// named parses a name in an expression: a known variable, a temporary folder, a keyword.
func (p *program) named(k int, v *value, parts *int) {
	name := p.tokens[k].text
	known, is := p.strings[name]
	switch {
	case is:
		v.texts, v.open, v.list = append(v.texts, known.texts...), v.open || known.open, v.list || known.list
		*parts++
	case slices.ContainsFunc(p.line.config.Scratch, func(s string) bool { return strings.Contains(name, s) }):
		v.texts = append(v.texts, shell.TemporaryFolder)
		*parts++
	case p.is(k+1, '('), p.is(k+1, '='), p.is(k+1, '.'), strings.Trim(name, "0123456789") == "", slices.Contains(constants, name):
	case p.language.Bare && (p.is(k+1, 's') || p.is(k+1, 'n')):
	default:
		v.open = true
	}
}

// constants are names that are not variables.
var constants = []string{"true", "false", "True", "False", "None", "null", "nil", "undefined", "recursive", "force", "shell", "check", "glob"}

// joined returns a value of which at most one text is known.
func (p *program) joined(v value, parts int) value {
	if parts == 0 && len(v.texts) == 0 {
		v.open = true
	}
	return v
}

// run handles a command that the program runs.
func (p *program) run(v value) {
	if v.list {
		words := make([]string, len(v.texts))
		for i, t := range v.texts {
			words[i] = quoteWord(t)
		}
		p.line.nested(p.at, strings.Join(words, " "))
		return
	}
	if len(v.texts) > 0 {
		text := v.texts[0]
		if v.open {
			text = opened(text) + " \"$x\""
		}
		p.line.nested(p.at, text)
	}
}

// opened returns a text in which unknown parts are written as variables.
func opened(text string) string {
	for _, mark := range []string{"${", "#{", "{"} {
		for strings.Contains(text, mark) {
			before, after, _ := strings.Cut(text, mark)
			_, after, closed := strings.Cut(after, "}")
			if !closed {
				break
			}
			text = before + "$x" + after
		}
	}
	return text
}

func quoteWord(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// files records the effect of a call on files.
func (p *program) files(v value, does string) {
	a := Act{
		Rule: "script-remove", Kind: Files, Command: p.at.Name + ": " + strings.Join(v.texts, " "), Directory: p.at.Directory, Lost: p.at.Lost,
		Loses: "files", Recursive: does == "tree", Force: true, Open: v.open && len(v.texts) == 0,
	}
	if does == "write" || does == "empty" {
		a.Rule, a.Loses, a.Overwrites, a.Quiet, a.Empties = "script-write", "the former content", true, does == "write", does == "empty"
	}
	for _, t := range v.texts {
		if v.open {
			t = opened(t) + "$x"
		}
		if strings.HasPrefix(t, "~") || path.IsAbs(t) {
			a.Targets = append(a.Targets, t)
		} else if t != "" {
			a.Targets = append(a.Targets, under(p.at.Directory, t))
		}
	}
	if len(a.Targets) > 0 || a.Open {
		p.line.add(a)
	}
}
