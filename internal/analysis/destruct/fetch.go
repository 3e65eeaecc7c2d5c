package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// fetched follows the files that a line downloads, until one is run.
type fetched struct {
	takeovers
	held  map[string]bool // files that were downloaded before, and their copies
	named map[string]bool // their names without folders
}

// runs reports whether a command runs a file that the line downloaded before.
func (f *fetched) runs(i *shell.Invocation) bool {
	if strings.Contains(i.Word, "/") && f.held[path.Clean(i.Word)] {
		return true
	}
	if !f.config.Hijack.interpreter(i.Name) {
		return f.named[i.Name]
	}
	at := slices.IndexFunc(i.Args, func(a string) bool { return !isFlag(a) })
	return at >= 0 && f.held[path.Clean(i.Args[at])]
}

// carry notes the files that the command at an index downloads, or copies from such files.
func (f *fetched) carry(at int) {
	i, h := &f.all[at], &f.config.Hijack
	var made []string
	switch {
	case i.Elsewhere:
	case slices.Contains(h.Downloads, i.Name):
		made = saved(i)
	case slices.Contains(h.Copies, i.Name) &&
		(f.fed(at, h.Downloads, nil) || slices.ContainsFunc(slices.Concat(i.Args, i.Files), f.has)):
		for _, a := range i.Args {
			if !isFlag(a) {
				made = append(made, operand(a))
			}
		}
		for _, o := range i.Outputs {
			made = append(made, o.Path)
		}
	}
	for _, name := range made {
		if name != "" {
			f.held[path.Clean(name)], f.named[path.Base(name)] = true, true
		}
	}
}

func (f *fetched) has(word string) bool { return f.held[path.Clean(operand(word))] }

// operand returns the file of a word, without the name of dd's operand before it: if=, of=.
func operand(word string) string {
	if name, file, is := strings.Cut(word, "="); is && len(name) == 2 {
		return file
	}
	return word
}

// clustered reports whether a cluster of flags ends with the one that names a file: -so, -qO.
func clustered(name, word string) bool {
	return len(word) > 2 && word[0] == '-' && word[1] != '-' &&
		(name == "curl" && strings.HasSuffix(word, "o") || name == "wget" && strings.HasSuffix(word, "O"))
}

// saved returns the files that a download writes.
func saved(i *shell.Invocation) (out []string) {
	for k, a := range i.Args {
		switch {
		case clustered(i.Name, a) && k+1 < len(i.Args):
			out = append(out, i.Args[k+1])
		case k+1 < len(i.Args) &&
			(a == "-o" || a == "--output" || a == "--output-document" || a == "-O" && i.Name == "wget"):
			out = append(out, i.Args[k+1])
		case a == "-O" && i.Name == "curl" || a == "--remote-name":
			for _, u := range i.Args {
				if strings.Contains(u, "://") {
					out = append(out, path.Base(u))
				}
			}
		case i.Name == "wget" && strings.Contains(a, "://"):
			out = append(out, path.Base(a))
		}
	}
	for _, o := range i.Outputs {
		out = append(out, o.Path)
	}
	return out
}
