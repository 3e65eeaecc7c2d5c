package alone

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// hints decides by words alone whether a call may concern something irrecoverable, so that only such calls
// pay for reading the rules, which costs ten times as much. In doubt it says yes.
type hints struct {
	// words are the subcommands that matter, by program; nil means any.
	words map[string][]string
	// flags are those with which a program takes program text.
	flags map[string][]string
	// marks are parts of paths that hold keys, wherever they are.
	marks []string
	hold  bool // a list of marks continues on the next line
	// shows are programs that print all variables, which matters if their output is sent elsewhere.
	shows []string
	// trees are programs that read whole folders, lists those that list their content; folder is where the
	// call would run.
	trees, lists map[string]bool
	folder       string
	// files are programs of which one subcommand runs a file; runs are those that run what they read.
	files map[string]bool
	runs  []string
	// wrote reports whether the session wrote a file; nil means unknown.
	wrote func(name string) bool
}

// newHints reads the names from the text of the rules, which have one item on each line: parsing the rules
// takes longer than an agent should wait for a harmless command.
func newHints(text string) *hints {
	h := &hints{
		words: map[string][]string{}, flags: map[string][]string{}, files: map[string]bool{}, trees: map[string]bool{},
		lists: map[string]bool{}, marks: []string{"/dev/tcp/", "/dev/udp/"},
	}
	for _, name := range []string{"xargs", "parallel", "eval"} { // what they run comes from a file, a pipe or a value
		h.add(name, nil)
	}
	section := ""
	for line := range strings.Lines(text) {
		if head, _, is := strings.Cut(line, ":"); is && head != "" && head[0] != ' ' && head[0] != '#' {
			section = head
			if section == "git_aliases" {
				h.add("git", keys(line))
			}
		}
		if section == "hijack" {
			h.hijack(strings.TrimSpace(line))
			continue
		}
		names := listed(line, "names: [")
		if len(names) == 0 {
			continue
		}
		switch section {
		case "rules", "writers":
			words := first(listed(line, " words: ["))
			if _, patterns, is := strings.Cut(line, "patterns: ["); is && h.language(names) {
				words = spelled(patterns)
			}
			for _, name := range names {
				h.add(name, words)
			}
		case "languages":
			for _, name := range names {
				if strings.Contains(line, " word: ") {
					h.files[name] = true
					continue
				}
				h.flags[strings.ToLower(name)] = append(listed(line, "flags: ["), "<<")
			}
		}
	}
	return h
}

// release reads the rules about acts that are reserved to people (RW-34): the names by which an agent would
// get at the system, its keys or its hooks, and the programs that read whole folders.
func (h *hints) release(text string) {
	h.marks = append(h.marks, ".nk")
	list := ""
	for line := range strings.Lines(text) {
		key, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent <= 2 {
			list = key
		}
		switch {
		case list == "program":
			h.marks = append(h.marks, strings.TrimSpace(line[strings.IndexByte(line, ':')+1:]))
		case list == "units", list == "disables", list == "settings", list == "blinds" && indent > 2:
			for _, name := range listed(line, "[") {
				h.marks = append(h.marks, strings.ToLower(name))
			}
		case list == "trees" && indent > 2:
			h.trees[strings.ToLower(key)] = true
		case list == "listers":
			for _, name := range listed(line, "[") {
				h.lists[name] = true
			}
		}
	}
}

// hijack reads a line of the rules about handing the machine or its secrets to somebody.
func (h *hints) hijack(line string) {
	key, _, _ := strings.Cut(line, ":")
	switch key {
	case "git":
		h.marks = append(h.marks, listed(line, "[")...)
	case "listens":
		for _, name := range listed(line, "[") {
			h.add(name, nil)
		}
	case "decodes":
		for _, name := range keys(line) {
			if !strings.ContainsAny(name, `]"`) {
				h.add(name, nil)
			}
		}
	case "runs":
		h.runs = listed(line, "[")
	case "fetched":
		h.add("iex", nil)
		h.add("invoke-expression", nil)
	case "rewrites":
		for _, name := range keys(line) {
			h.add(name, h.runs)
		}
	case "addressed":
		for _, name := range listed(line, "[") {
			h.add(name, []string{"http", "https"})
		}
	case "reveals":
		for _, name := range keys(line) {
			if name != "" && !strings.ContainsAny(name, "]") {
				h.add(name, []string{"curl", "wget", "nc", "http"})
			}
		}
	case "shows":
		h.shows = listed(line, "[")
	case "sends":
		for _, name := range h.shows {
			h.add(name, listed(line, "["))
		}
	case "key_stores", "key_folders", "env_files":
		h.hold = true
	}
	if h.hold {
		for _, piece := range strings.Split(line[strings.IndexByte(line, '[')+1:], ",") {
			if piece = strings.Trim(strings.TrimSpace(piece), `"'*?]`); len(piece) > 3 {
				h.marks = append(h.marks, strings.ToLower(piece))
			}
		}
		h.hold = !strings.HasSuffix(line, "]")
	}
}

func (h *hints) add(name string, words []string) {
	name = strings.ToLower(name)
	before, known := h.words[name]
	switch {
	case known && before == nil, len(words) == 0:
		h.words[name] = nil
	default:
		h.words[name] = append(before, words...)
	}
}

// language reports whether one of the names is a language, which runs everyday programs too.
func (h *hints) language(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return h.flags[n] != nil })
}

// spelled returns the words that a pattern spells out.
func spelled(pattern string) (words []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(pattern), func(c rune) bool { return (c < 'a' || c > 'z') && c != '_' }) {
		if len(w) > 3 {
			words = append(words, w)
		}
	}
	return words
}

// first returns the alternatives for the first word of a rule.
func first(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return strings.Split(strings.ToLower(words[0]), "|")
}

// listed returns the items of a list that begins after a mark.
func listed(line, mark string) []string {
	_, rest, is := strings.Cut(line, mark)
	if !is {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "]")
	var list []string
	for item := range strings.SplitSeq(rest, ",") {
		if item = strings.Trim(strings.TrimSpace(item), `"'`); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// keys returns the keys of a mapping on one line.
func keys(line string) []string {
	_, rest, _ := strings.Cut(line, "{")
	var list []string
	for item := range strings.SplitSeq(rest, ",") {
		key, _, _ := strings.Cut(item, ":")
		list = append(list, strings.TrimSpace(key))
	}
	return list
}

// writes are prefixes of the fields by which a tool changes a file.
var writes = []string{"content", "new", "patch", "edit", "diff", "replac", "old", "file_text", "insert"}

// mayDestroy reports whether a tool's input may be about something that does not come back: a
// command that the rules name, or a change to a file.
func mayDestroy(h *hints, input json.RawMessage) bool {
	var value any
	if json.Unmarshal(input, &value) != nil {
		return len(input) > 0
	}
	if fields, is := value.(map[string]any); is {
		for name := range fields {
			if slices.ContainsFunc(writes, func(w string) bool { return strings.HasPrefix(strings.ToLower(name), w) }) {
				return true
			}
		}
	}
	return h.inside(value)
}

func (h *hints) inside(value any) bool {
	switch v := value.(type) {
	case string:
		return h.line(v)
	case []any:
		words := make([]string, 0, len(v)) // the words of a command
		for _, item := range v {
			if word, is := item.(string); is {
				words = append(words, word)
			} else if h.inside(item) {
				return true
			}
		}
		return h.line(strings.Join(words, " "))
	case map[string]any:
		for _, item := range v {
			if h.inside(item) {
				return true
			}
		}
	}
	return false
}

// harmless are redirections that write nothing, or nothing that anybody would miss.
var harmless = strings.NewReplacer("\\\n", "", "2>&1", " ", ">&2", " ", "&>/dev/null", " ", "2>/dev/null", " ", ">/dev/null", " ", "> /dev/null", " ", "->", " ", "=>", " ", "\\", "", "'", "", `"`, "")

// spelledOut are ways to write a letter that evade a comparison of words.
var spelledOut = []string{"$'", `\x`, `\u`, `\U`, `\0`, `\1`}

// hidden reports whether only a shell could determine the words of a line: letters are written as numbers,
// or part of a value is a command.
func hidden(text string) bool {
	if slices.ContainsFunc(spelledOut, func(s string) bool { return strings.Contains(text, s) }) {
		return true
	}
	for rest := text; ; {
		_, after, is := strings.Cut(rest, "${")
		if !is {
			return false
		}
		inside, after, _ := strings.Cut(after, "}")
		if strings.ContainsAny(inside, "%#:/+-=^,@") {
			return true
		}
		rest = after
	}
}

// loops reports whether a line may start processes without end.
func loops(text string) bool {
	if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(text, "&&", ""), ">&", ""), "&") {
		return false
	}
	return slices.ContainsFunc(strings.FieldsFunc(text, func(c rune) bool { return c < 'a' || c > 'z' }), func(w string) bool {
		return w == "while" || w == "until" || w == "for"
	})
}

// line reports whether a text names a command that may destroy something.
func (h *hints) line(text string) bool {
	if hidden(text) || loops(text) || h.runsOwn(text) {
		return true
	}
	text = strings.ToLower(harmless.Replace(text))
	if strings.Contains(text, ">") || strings.Contains(strings.ReplaceAll(text, " ", ""), "(){") || slices.ContainsFunc(h.marks, func(m string) bool { return strings.Contains(text, m) }) {
		return true
	}
	words := strings.FieldsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("_.+-/:@", c) && c < 0x80
	})
	spoken := slices.Clone(words) // User.destroy_all says destroy_all
	for _, w := range words {
		if strings.Contains(w, ".") {
			spoken = append(spoken, strings.Split(w, ".")...)
		}
		if scheme, _, is := strings.Cut(w, "://"); is {
			spoken = append(spoken, scheme)
		}
	}
	for _, w := range words {
		name := strings.TrimSuffix(path.Base(w), ".exe")
		subcommands, known := h.words[name]
		if !known {
			if i := strings.IndexByte(name, '.'); i > 0 { // mkfs.ext4
				subcommands, known = h.words[name[:i]]
			}
		}
		if known && (subcommands == nil || slices.ContainsFunc(spoken, func(o string) bool { return slices.Contains(subcommands, o) })) {
			return true
		}
		if (h.trees[name] || h.lists[name] && strings.ContainsAny(text, "$`|")) && (reaches(h.folder) || slices.ContainsFunc(words, reaches)) {
			return true
		}
		if flags, is := h.flags[strings.TrimRight(name, "0123456789.")]; is && h.program(text, words, flags) {
			return true
		}
	}
	return false
}

// runsOwn reports whether a line runs a program that the session wrote.
func (h *hints) runsOwn(text string) bool {
	if h.wrote == nil {
		return false
	}
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n;&|()'\"`", c) })
	runs := false
	for k, w := range words {
		name := path.Base(w)
		language := h.flags[strings.TrimRight(name, "0123456789.")] != nil
		runs = runs || slices.Contains(shells, name) || language || h.files[name]
		if (runs || k == 0 || strings.Contains(w, "/")) && h.wrote(w) {
			return true
		}
	}
	return false
}

// shells run the file that they are given.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "source", "."}

// reaches reports whether a word is a folder that may hold our keys, or contains one: in a home, near the
// root, or reached by going up.
func reaches(word string) bool {
	switch {
	case strings.HasPrefix(word, "~"), word == "home", strings.HasPrefix(word, "home/"), strings.Contains(word, ".."):
		return true // $HOME: a dollar separates words
	case strings.HasPrefix(word, ".config"), strings.Contains(word, "/.config"), strings.Contains(word, "/library"), strings.Contains(word, "appdata"):
		return true
	}
	parts := strings.Split(path.Clean(word), "/")
	return word != "" && parts[0] == "" && len(parts) <= 3 && slices.Contains([]string{"", "home", "users", "root"}, parts[1])
}

// program reports whether a line passes program text to a language.
func (h *hints) program(text string, words, flags []string) bool {
	if len(flags) == 1 { // awk takes its program without a flag
		return true
	}
	return strings.Contains(text, "<<") || strings.Contains(text, "|") || slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(w, strings.ToLower(f)) })
	})
}

// shippedHints returns the hints of the embedded rules.
func shippedHints(folder string) *hints {
	h := newHints(rules.Text("destruct"))
	h.release(rules.Text("preflight"))
	h.folder = strings.ToLower(folder)
	return h
}
