package main

import (
	"regexp"
	"strings"
)

// function is a function that a session has read.
type function struct{ Name, Text, Path string }

// heads begin a function at the left margin.
var heads = map[string]*regexp.Regexp{
	"go":         regexp.MustCompile(`^func ([A-Za-z]\w+)\(`),
	"typescript": regexp.MustCompile(`^(?:export )?(?:async )?function (\w+)\(`),
	"python":     regexp.MustCompile(`^def ([a-z]\w+)\(`),
}

// Functions of a size that one would notice, and that a person would not mind
// being shown.
const (
	leastLines = 8
	mostLines  = 45
)

// functionsIn finds whole functions in a file's text.
func functionsIn(text, language, file string) []function {
	var out []function
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		head := heads[language].FindStringSubmatch(lines[i])
		if head == nil || head[1] == "main" || head[1] == "init" {
			continue
		}
		end := endOf(lines, i, language)
		if n := end - i; n >= leastLines && n <= mostLines {
			out = append(out, function{Name: head[1], Text: strings.TrimRight(strings.Join(lines[i:end], "\n"), "\n ") + "\n", Path: file})
		}
		i = max(i, end-1)
	}
	return out
}

// endOf returns the line after a function, 0 if the text ends before it does.
func endOf(lines []string, start int, language string) int {
	for i := start + 1; i < len(lines); i++ {
		switch line := lines[i]; {
		case language != "python" && strings.HasPrefix(line, "}"):
			return i + 1
		case language == "python" && line != "" && !strings.ContainsAny(line[:1], " \t)"):
			return i
		}
	}
	return 0
}

// verbs that say the same, for a function that is built again by another name.
var verbs = map[string]string{
	"get": "fetch", "fetch": "get", "load": "read", "read": "load", "find": "lookup", "parse": "decode", "create": "make",
	"make": "create", "build": "make", "write": "save", "save": "write", "format": "render", "is": "check", "resolve": "find", "extract": "get",
	"remove": "delete", "delete": "remove", "validate": "check", "check": "verify", "list": "get", "run": "execute", "calc": "compute", "convert": "transform",
}

var firstWord = regexp.MustCompile(`^_*([A-Z]?[a-z]+)`)

// synonym returns another name with the same meaning, or the name itself if no verb
// is known.
func synonym(name string) string {
	word := firstWord.FindString(name)
	other, known := verbs[strings.ToLower(strings.Trim(word, "_"))]
	if !known {
		return name
	}
	if word != strings.ToLower(word) {
		other = strings.ToUpper(other[:1]) + other[1:]
	}
	return strings.Replace(name, word, other, 1)
}

var parameter = regexp.MustCompile(`[(,]\s*([a-z]\w*)`)

// renamed returns a function with another name and other names for its parameters.
func renamed(f function, name string) string {
	text := strings.Replace(f.Text, f.Name, name, 1)
	head, _, _ := strings.Cut(text, "\n")
	others := []string{"given", "wanted", "third", "fourth"}
	for i, found := range parameter.FindAllStringSubmatch(head, len(others)) {
		word := regexp.MustCompile(`\b` + found[1] + `\b`)
		text = word.ReplaceAllString(text, others[i])
	}
	return text
}
