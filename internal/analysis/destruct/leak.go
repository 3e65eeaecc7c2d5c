package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// leaks follows the secrets of a line: which commands show, copy or send them.
type leaks struct {
	*line
	held map[string]bool // files that were made from a file of secrets before
}

// command records what one command does with key files and files of secrets.
func (l *leaks) command(i *shell.Invocation) {
	h := &l.config.Hijack
	if i.Elsewhere {
		return
	}
	words := slices.Concat(i.Args, i.Files)
	switch {
	case !slices.Contains(h.Unread, i.Name) && i.Name != "" && slices.ContainsFunc(words, l.keyStore),
		slices.Contains(h.Packs, i.Name) && slices.ContainsFunc(words, func(a string) bool { return slices.Contains(h.KeyFolders, path.Base(clean(a))) }):
		l.hijack("key-read", i)
	case l.sends(i) && (slices.ContainsFunc(l.sent(i), l.secret) || l.piped(i)):
		l.hijack("secret-sent", i)
	case i.Name == "git" && slices.Contains(i.Args, "add") && slices.ContainsFunc(i.Args, l.envFile) &&
		(slices.Contains(i.Args, "-f") || slices.Contains(i.Args, "--force")):
		l.hijack("secret-staged", i)
	}
	l.carry(i)
}

// sends reports whether a command sends files to another machine.
func (l *leaks) sends(i *shell.Invocation) bool {
	h := &l.config.Hijack
	need := h.SendsWords[i.Name]
	return slices.Contains(h.Sends, i.Name) && (need == nil || slices.ContainsFunc(i.Args, func(a string) bool { return slices.Contains(need, a) }))
}

// sent returns the files that a command sends: all of its words, or for a program that rather downloads those
// after an @ or such a flag, and what a substitution reads.
func (l *leaks) sent(i *shell.Invocation) (files []string) {
	downloads, uploads := slices.Contains(l.config.Hijack.Downloads, i.Name), l.config.Hijack.Uploads
	for k, a := range i.Args {
		flag, value, attached := strings.Cut(a, "=")
		switch _, after, at := strings.Cut(a, "@"); {
		case substituted(a) != "":
			apart := func(c rune) bool { return strings.ContainsRune(" \t\n|;&()<`\"'", c) }
			files = append(files, strings.FieldsFunc(substituted(a), apart)...)
		case at:
			files = append(files, strings.FieldsFunc(after, func(c rune) bool { return c == ',' || c == ';' })...)
		case attached && slices.Contains(uploads, flag):
			files = append(files, value)
		case !downloads, k > 0 && slices.Contains(uploads, i.Args[k-1]):
			files = append(files, a)
		}
	}
	return append(files, i.Files...)
}

// secret reports whether a word names a file of secrets, or one that was made from it.
func (l *leaks) secret(word string) bool { return l.envFile(word) || l.held[path.Clean(clean(word))] }

// piped reports whether another command of the line passes a file of secrets, or every variable, to a command.
func (l *leaks) piped(i *shell.Invocation) bool {
	return i.Fed && slices.ContainsFunc(l.all, func(before shell.Invocation) bool {
		h := &l.config.Hijack
		if slices.ContainsFunc(before.Args, func(a string) bool { return slices.Contains(h.Reveals[before.Name], a) }) {
			return true
		}
		if slices.Contains(h.Shows, before.Name) {
			return !slices.ContainsFunc(before.Args, func(a string) bool { return !isFlag(a) })
		}
		return before.Name != i.Name && !slices.Contains(h.Unread, before.Name) &&
			slices.ContainsFunc(before.Args, l.secret)
	})
}

// carry notes that what a command makes holds what it reads: a copy, an archive, another name. Which of its
// words it makes differs from one program to the next, so all of them count.
func (l *leaks) carry(i *shell.Invocation) {
	if slices.Contains(l.config.Hijack.Unread, i.Name) || !slices.ContainsFunc(slices.Concat(i.Args, i.Files), l.secret) {
		return
	}
	for _, a := range i.Args {
		if isFlag(a) {
			continue
		}
		name := path.Clean(clean(a))
		l.held[name] = true
		for _, ending := range l.config.Hijack.Packed {
			l.held[name+ending] = true
		}
	}
	for _, o := range i.Outputs {
		l.held[path.Clean(o.Path)] = true
	}
}

func (l *leaks) keyStore(word string) bool {
	word = strings.TrimPrefix(clean(word), "@")
	if slices.ContainsFunc(l.config.Hijack.Public, func(e string) bool { return strings.HasSuffix(word, e) }) {
		return false
	}
	parts := strings.Split(word, "/")
	return slices.ContainsFunc(l.config.Hijack.KeyStores, func(store string) bool {
		want := strings.Split(store, "/")
		if store[0] == '/' {
			return word == store
		}
		if len(parts) < len(want) {
			return false
		}
		for from := 0; from+len(want) <= len(parts); from++ {
			matches := true
			for k, w := range want {
				is, err := path.Match(w, parts[from+k])
				matches = matches && is && err == nil
			}
			if matches {
				return true
			}
		}
		return false
	})
}

func (l *leaks) envFile(word string) bool {
	word = clean(word)
	if at := strings.LastIndexAny(word, "@="); at >= 0 {
		word = word[at+1:]
	}
	base := path.Base(word)
	return !slices.Contains(l.config.PreciousExcept, base) && slices.ContainsFunc(l.config.Hijack.EnvFiles, func(f string) bool { return matches(base, f) })
}
