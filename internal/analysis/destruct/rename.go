package destruct

import "strings"

// rename writes names that a program imports under another name as what they are: from os import remove as r.
func rename(tokens []token) {
	known := map[string]string{}
	for from := 0; from < len(tokens); {
		end := from
		for end < len(tokens) && tokens[end].kind != ';' && tokens[end].kind != '\n' {
			end++
		}
		imported(tokens[from:end], known)
		from = end + 1
	}
	for k := range tokens {
		t := &tokens[k]
		if t.kind != 'n' || k > 0 && tokens[k-1].kind == '.' {
			continue
		}
		first, rest, dotted := strings.Cut(t.text, ".")
		if full, is := known[first]; is {
			if t.text = full; dotted {
				t.text += "." + rest
			}
		}
	}
}

// imported notes the names of one statement: of Python, and of JavaScript, where the module is a name or text.
func imported(words []token, known map[string]string) {
	if len(words) < 4 || words[0].kind != 'n' {
		return
	}
	module := ""
	switch words[0].text {
	case "from":
		module = words[1].text + "."
	case "import":
	case "const", "let", "var":
		if words[1].kind != '{' || words[len(words)-1].kind != 'n' {
			return
		}
		module = words[len(words)-1].text + "."
	default:
		return
	}
	for k := 1; k < len(words); k++ {
		between := words[k-1].kind == ':' || words[k-1].kind == 'n' && words[k-1].text == "as"
		switch {
		case words[k].kind == 'n' && k > 1 && between && words[k-2].kind == 'n':
			known[words[k].text] = module + words[k-2].text
		case words[k].kind == 'n' && words[0].text == "from" && k > 2 && words[k].text != "as":
			known[words[k].text] = module + words[k].text
		}
	}
}
