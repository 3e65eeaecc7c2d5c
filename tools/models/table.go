package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// row is one fact: a function of a package or type, and the value that matters.
type row struct {
	kind, owner, typ, name string
	argument               int
	keyword                string
	enters                 bool // it returns a request's data
}

// language names the sources of facts about a language.
type language struct {
	name string
	// models and hints are tables: with types and signatures, or with member paths.
	models, hints string
}

var languages = []language{
	{name: "go", models: "codeql-go.tsv.gz"},
	{name: "java", models: "codeql-java.tsv.gz"},
	{name: "javascript", models: "codeql-javascript.tsv.gz", hints: "qll-javascript.tsv.gz"},
	{name: "python", models: "codeql-python.tsv.gz", hints: "qll-python.tsv.gz"},
}

// read returns the facts of both tables.
func (l language) read(folder fs.FS) ([]row, error) {
	var out []row
	groups := map[string][]string{}
	err := eachLine(folder, l.models, func(c []string) {
		if len(c) < 11 || c[0] == "packagegroup" {
			if len(c) > 2 && c[0] == "packagegroup" {
				groups[c[1]] = append(groups[c[1]], versionless(c[2]))
			}
			return
		}
		if strings.HasSuffix(c[10], "-generated") {
			return
		}
		if c[4] == "" || strings.Contains(c[4], "[") {
			out = append(out, byPath(c)...)
		} else {
			out = append(out, bySignature(c)...)
		}
	})
	if out = expanded(out, groups); err != nil || l.hints == "" {
		return out, err
	}
	err = eachLine(folder, l.hints, func(c []string) {
		if len(c) >= 5 {
			out = append(out, byHint(c)...)
		}
	})
	return out, err
}

// expanded replaces the name of a group of packages by its packages.
func expanded(rows []row, groups map[string][]string) []row {
	var out []row
	for _, r := range rows {
		list, grouped := groups[r.owner]
		if !grouped {
			list = []string{r.owner}
		}
		for _, owner := range list {
			r.owner = owner
			out = append(out, r)
		}
	}
	return out
}

func eachLine(folder fs.FS, name string, take func(columns []string)) error {
	f, err := folder.Open(name)
	if err != nil {
		return fmt.Errorf("open a table: %w", err)
	}
	defer func() { _ = f.Close() }()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		take(strings.Split(lines.Text(), "\t"))
	}
	return lines.Err()
}

var argument = regexp.MustCompile(`Argument\[(this|-?\d+)`)

// bySignature parses a row of a typed language: package, type, name, argument.
func bySignature(c []string) []row {
	r := row{kind: c[9], owner: versionless(strings.TrimPrefix(c[1], "group:")), typ: c[2], name: c[4]}
	switch c[0] {
	case "source":
		r.enters = true
		if r.kind != "remote" || !strings.HasPrefix(c[8], "ReturnValue") {
			return nil
		}
	case "sink":
		m := argument.FindStringSubmatch(c[7])
		if m == nil {
			return nil
		}
		r.argument = -1
		if m[1] != "this" {
			r.argument, _ = strconv.Atoi(m[1])
		}
	default:
		return nil
	}
	return []row{r}
}

var (
	version   = regexp.MustCompile(`(?:/v\d+|\.v\d+)$`)
	member    = regexp.MustCompile(`Member\[([\w$,]+)\](?:\.ReturnValue)?\.Argument\[(\d+)(?:,(\w+):)?`)
	plainName = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)
)

func versionless(path string) string { return version.ReplaceAllString(path, "") }

// byPath parses a row whose function is a path of members: Member[query].Argument[0].
func byPath(c []string) []row {
	if c[0] != "sink" {
		return nil
	}
	found := member.FindAllStringSubmatch(c[4], -1)
	if len(found) == 0 {
		return nil
	}
	m := found[len(found)-1]
	owner, typ := c[1], "*"
	if at := strings.LastIndexByte(owner, '.'); at > 0 && !strings.Contains(owner[at:], "/") {
		owner = strings.Trim(owner[:at], "'")
	} else if len(found) == 1 && strings.HasPrefix(c[4], "Member") && !strings.Contains(c[4], "ReturnValue.Member") {
		typ = ""
	}
	var out []row
	for _, name := range strings.Split(m[1], ",") {
		position, _ := strconv.Atoi(m[2])
		out = append(out, row{kind: c[9], owner: owner, typ: typ, name: name, argument: position, keyword: m[3]})
	}
	return out
}

var (
	position = regexp.MustCompile(`^(?:\[?(\d+)|any\b|value\b|itself\b|each\b)?`)
	word     = regexp.MustCompile(`(?:^|\| )(\w+):`)
)

// byHint parses a concept, library and member path: asyncpg.connect().fetch.
func byHint(c []string) []row {
	library, callee := c[1], c[2]
	if library == "" || strings.ContainsAny(library, "{*<") {
		return nil
	}
	path := strings.TrimSuffix(strings.TrimPrefix(callee, library+"."), "()")
	last, typ := path, ""
	if at := strings.LastIndexByte(outsideBraces(path), '.'); at >= 0 {
		last, typ = path[at+1:], "*"
	} else if callee == path && callee != library {
		typ = "*" // a method of some object of the library
	}
	at := position.FindStringSubmatch(c[3])
	if at == nil || at[0] == "" && c[3] != "" && word.FindString(c[3]) == "" {
		return nil
	}
	first, _ := strconv.Atoi(at[1])
	keyword := ""
	if w := word.FindStringSubmatch(c[3]); w != nil && w[1] != "any" {
		keyword = w[1]
	}
	root, _, _ := strings.Cut(library, ".")
	if strings.ContainsAny(library, "/@-") {
		root = library
	}
	var out []row
	for _, name := range strings.Split(strings.Trim(last, "{}"), ",") {
		if plainName.MatchString(name) {
			out = append(out, row{kind: c[0], owner: root, typ: typ, name: name, argument: first, keyword: keyword})
		}
	}
	return out
}

// outsideBraces returns a path with the content of braces blanked.
func outsideBraces(path string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
		}
		if depth > 0 {
			return ' '
		}
		return r
	}, path)
}

func sorted(list []row) []row {
	slices.SortFunc(list, func(a, b row) int { return strings.Compare(a.key()+a.name, b.key()+b.name) })
	return slices.Compact(list)
}

// key returns what functions on one line of rule data have in common.
func (r row) key() string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%s\x00", r.owner, r.typ, r.argument, r.keyword)
}
