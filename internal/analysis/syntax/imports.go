package syntax

// maxImports bounds what one fragment may name.
const maxImports = 200

// Imports names the modules that code imports, in order of appearance, each
// once, as written ("os.path", "./util", "github.com/x/y", "std::fmt").
func Imports(name, code string) []string {
	l := load().Languages[name]
	if l == nil || code == "" {
		return nil
	}
	var out []string
	var masked []byte
	seen := map[string]bool{}
	for _, re := range l.imports {
		for _, m := range re.FindAllStringSubmatchIndex(code, maxImports) {
			module := code[m[2]:m[3]]
			if seen[module] || len(out) >= maxImports {
				continue
			}
			if masked == nil {
				masked = l.mask(code)
			}
			if start := skipBlank(code, m[0]); masked[start] == code[start] {
				seen[module] = true
				out = append(out, module)
			}
		}
	}
	return out
}

func skipBlank(code string, at int) int {
	for at < len(code)-1 && (code[at] == ' ' || code[at] == '\t') {
		at++
	}
	return at
}
