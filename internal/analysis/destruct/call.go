package destruct

import (
	"slices"
	"strings"
	"unicode"
)

// Call is a function that destroys, writes or runs something, in some languages.
type Call struct {
	ID    string   `yaml:"id"`
	Names []string `yaml:"names"` // with dots: the end of the full name, otherwise the last part
	Does  string   `yaml:"does"`  // remove, tree, write, empty, open, copy, move, run, list, map, eval
	// Languages in which it has this meaning; all if empty.
	Languages []string `yaml:"languages"`
	Receiver  bool     `yaml:"receiver"` // it affects what it is called on
}

// called handles one call.
func (p *program) called(k int, name string, args []value) {
	if p.line.placed && slices.ContainsFunc(p.line.config.Hijack.Posts, func(n string) bool { return calls(name, n) }) {
		p.posts(k)
	}
	for i := range p.line.config.Calls {
		c := &p.line.config.Calls[i]
		if !slices.ContainsFunc(c.Names, func(n string) bool { return calls(name, n) }) || len(c.Languages) > 0 && !slices.Contains(c.Languages, p.language.ID) {
			continue
		}
		about := value{open: true}
		if len(args) > 0 {
			about = args[0]
		}
		if c.Receiver || len(args) == 0 && k > 0 && p.is(k-1, '.') {
			about = p.receiver(k, name)
		}
		switch c.Does {
		case "run":
			if p.names(k, p.line.config.Decodes) {
				p.line.hijack("decode-and-run", p.at)
			}
			if words := flat(args); p.language.Bare && len(words) > 1 && !strings.Contains(words[0], " ") {
				about = value{texts: words, list: true}
			}
			p.run(about)
		case "eval":
			p.eval(k, about)
		case "copy", "move":
			p.placed(args, c.Does)
		case "map": // array_map("unlink", …)
			if len(args) > 1 && len(args[0].texts) == 1 && args[0].texts[0] != name {
				p.called(k, args[0].texts[0], args[1:])
			}
		case "list":
			p.run(value{texts: flat(args), open: about.open, list: true})
		case "chdir":
			if len(about.texts) == 1 && !about.open {
				moved := *p.at
				moved.Directory = under(moved.Directory, about.texts[0])
				p.at = &moved
			}
		case "open":
			if p.language.ID == "perl" {
				p.perlOpens(args)
				return
			}
			if len(args) > 1 && len(args[1].texts) > 0 && strings.HasPrefix(strings.TrimLeft(args[1].texts[0], "<+"), "w") || len(args) > 1 && slices.Contains(args[1].texts, ">") {
				if end := p.closes(k + 1); p.is(end+1, '.') && p.is(end+2, 'n') && about.open && p.tokens[end+2].text == "close" {
					p.files(about, "empty") // nothing is written to it
					return
				}
				p.files(about, "write")
			}
		default:
			if c.Does == "remove" && len(args) > 1 && slices.ContainsFunc(p.tokens[k:min(len(p.tokens), k+24)], func(t token) bool { return t.kind == 'n' && t.text == "recursive" }) {
				p.files(about, "tree")
				return
			}
			content := 1 // of the arguments, what is written
			if c.Receiver {
				content = 0
			}
			if c.Does == "write" && len(args) > content && args[content].blank() {
				p.files(about, "empty")
				return
			}
			p.files(about, c.Does)
		}
		return
	}
}

// blank reports whether a value is the empty text.
func (v value) blank() bool { return !v.open && len(v.texts) == 1 && v.texts[0] == "" }

// perlOpens handles open of Perl: handle, mode and file, or mode and file in one.
func (p *program) perlOpens(args []value) {
	for i, v := range args {
		mode, file := "", v
		if len(v.texts) == 1 {
			mode = strings.TrimSpace(v.texts[0])
		}
		switch rest := strings.TrimLeft(mode, "+>"); {
		case !strings.HasPrefix(mode, ">") && !strings.HasPrefix(mode, "+>"), strings.HasPrefix(mode, ">>"):
			continue
		case rest != "" && !strings.HasPrefix(rest, ":"):
			file.texts = []string{strings.TrimSpace(rest)}
		case i+1 < len(args):
			file = args[i+1]
		}
		p.files(file, "write")
		return
	}
}

// eval handles a call that runs program text: fetched text has not been read by anyone,
// text in the line is analyzed.
func (p *program) eval(k int, about value) {
	if p.names(k, p.line.config.Fetches) {
		p.line.hijack("download-and-run", p.at)
		return
	}
	if p.names(k, p.line.config.Decodes) {
		p.line.hijack("decode-and-run", p.at)
		return
	}
	if len(about.texts) == 1 && !about.open && p.depth < maxNested {
		inner := &program{
			line: p.line, language: p.language, at: p.at, tokens: tokenize(about.texts[0], p.language.Comment),
			strings: p.strings, held: p.held, depth: p.depth + 1,
		}
		for k := range inner.tokens {
			inner.token(k)
		}
	}
}

// names reports whether the first argument of a call at a token contains a call whose name ends so.
func (p *program) names(k int, endings []string) bool {
	depth := 0
	for _, t := range p.tokens[k+1:] {
		switch t.kind {
		case '(':
			depth++
		case ')':
			depth--
		case 'n':
			if slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(t.text, e) }) {
				return true
			}
		}
		if depth <= 0 || depth == 1 && (t.kind == ',' || t.kind == '[') {
			return false
		}
	}
	return false
}

// placed handles a call that replaces one file by another.
func (p *program) placed(args []value, does string) {
	if len(args) < 2 || len(args[1].texts) != 1 {
		return
	}
	if does == "move" && args[1].texts[0] == "/dev/null" {
		p.files(args[0], "tree")
		return
	}
	p.files(args[1], "write")
}

// calls reports whether a call's name is in the table; an entry that begins with a dot is
// a method.
func calls(name, known string) bool {
	if method, is := strings.CutPrefix(known, "."); is {
		return name == method || strings.HasSuffix(name, known)
	}
	if strings.Contains(known, ".") {
		return name == known || strings.HasSuffix(name, "."+known)
	}
	return name[strings.LastIndexByte(name, '.')+1:] == known
}

// Acts reports whether a program's text holds a name by which one acts on what is outside of it; without any, Placed
// finds no effect in it. It is for languages in which a call needs parentheses.
func (r *Reader) Acts(text string) bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, notNamed) {
		words[word] = true
	}
	named := func(name string) bool {
		for part := range strings.FieldsFuncSeq(name, notNamed) {
			if !words[part] {
				return false
			}
		}
		return true
	}
	for i := range r.config.Calls {
		if slices.ContainsFunc(r.config.Calls[i].Names, named) {
			return true
		}
	}
	return slices.ContainsFunc(r.config.Hijack.Posts, named) ||
		slices.ContainsFunc(r.config.Languages, func(l Language) bool { return slices.ContainsFunc(l.Tags, named) })
}

func notNamed(c rune) bool {
	return c != '_' && c != '$' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}

func flat(args []value) (out []string) {
	for _, a := range args {
		out = append(out, a.texts...)
	}
	return out
}

// receiver returns what a method is called on: Path("x").unlink(), or a variable.
func (p *program) receiver(k int, name string) value {
	if before, _, is := strings.Cut(name, "."); is {
		if v, known := p.strings[before]; known {
			return v
		}
		return value{open: true}
	}
	depth := 0
	for i := k - 1; i >= 0; i-- {
		switch p.tokens[i].kind {
		case ')':
			depth++
		case '(':
			depth--
			if depth == 0 {
				args := p.arguments(i + 1)
				if len(args) > 0 {
					return args[0]
				}
				return value{open: true}
			}
		}
		if depth == 0 && p.tokens[i].kind != '.' {
			break
		}
	}
	return value{open: true}
}
