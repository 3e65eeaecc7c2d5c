// Command picture turns what a terminal shows into an SVG that is readable on
// light and dark pages. docs/demo.svg is the sample fleet of `up --demo`:
//
//	script -qec 'stty cols 100; TERM=screen-256color ./bin/scaffoldwatch up --demo' /dev/null |
//		go run ./test/picture -title 'make demo' > docs/demo.svg
//
// docs/guard.svg is `scaffoldwatch try` in a repository with a person's changes. Of output that
// is too long it keeps the first of each kind of decision that somebody has to
// hear, the beginning of the first report and how the runs stand; a dotted line
// stands for what is left out.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

func main() {
	title := flag.String("title", "", "what the title bar says")
	columns := flag.Int("columns", 100, "width in characters")
	rows := flag.Int("rows", 48, "most lines shown")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *title, *columns, *rows); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, title string, columns, rows int) error {
	var lines []line
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		lines = append(lines, parse(strings.TrimRight(scanner.Text(), "\r")))
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read the terminal's text: %w", err)
	}
	if len(lines) == 0 {
		return fmt.Errorf("nothing to show")
	}
	return draw(out, title, columns, choose(lines, rows))
}

// loud is a line of the feed that somebody has to hear; its group is its kind.
var loud = regexp.MustCompile(`^\S+ +(⚡ INTERRUPT \w+|→ [A-Z]+|■ BREAK|✗ gate \w+)`)

// choose keeps at most so many lines: the beginning, the first of each loud kind
// with its text, the beginning of the first report, the table of the runs.
func choose(lines []line, rows int) []line {
	if len(lines) <= rows {
		return lines
	}
	keep := make([]bool, len(lines))
	mark := func(from, to int) {
		for i := from; i < to && i < len(lines); i++ {
			keep[i] = true
		}
	}
	mark(0, 5)
	seen := map[string]bool{}
	for i, l := range lines {
		text := l.text()
		switch found := loud.FindStringSubmatch(text); {
		case found != nil && !seen[found[1]]:
			seen[found[1]] = true
			mark(i, i+1+below(lines[i+1:]))
		case strings.Contains(text, "SESSION REPORT") && !seen["report"]:
			seen["report"] = true
			mark(i, i+3)
		case strings.HasPrefix(text, "run ") && strings.Contains(text, "open break"):
			mark(i, len(lines))
		}
	}
	var chosen []line
	for i, l := range lines {
		switch {
		case keep[i]:
			chosen = append(chosen, l)
		case i > 0 && keep[i-1]:
			chosen = append(chosen, line{{text: "⋮", style: style{colour: "245"}}})
		}
	}
	return chosen[:min(len(chosen), rows)]
}

// below counts the lines of text under a head, up to the answers it lists.
func below(lines []line) int {
	for i, l := range lines {
		if text := l.text(); !strings.HasPrefix(text, " ") || strings.HasPrefix(strings.TrimSpace(text), "- ") {
			return i
		}
	}
	return len(lines)
}
