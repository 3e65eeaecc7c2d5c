// Command picture turns what a terminal shows into an SVG that is readable on
// light and dark pages. docs/demo.svg is the sample fleet of `up --demo`:
//
//	script -qec 'stty cols 100; TERM=screen-256color ./bin/scaffoldwatch up --demo' /dev/null |
//		go run ./test/picture -title 'make demo' > docs/demo.svg
//
// Of long output it keeps the interrupts with what is around them and the
// beginning of the first report; a dotted line stands for what is left out.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	title := flag.String("title", "", "what the title bar says")
	columns := flag.Int("columns", 100, "width in characters")
	rows := flag.Int("rows", 38, "most lines shown")
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

// choose keeps at most so many lines: the beginning, the interrupts with what is
// around them, the beginning of the first report.
func choose(lines []line, rows int) []line {
	keep := make([]bool, len(lines))
	mark := func(from, to int) {
		for i := max(from, 0); i <= to && i < len(lines); i++ {
			keep[i] = true
		}
	}
	mark(0, 4)
	reports := len(lines)
	for i, l := range lines {
		text := l.text()
		if reports == len(lines) && strings.Contains(text, "SESSION REPORT") {
			reports = i
		}
		if i < reports && strings.Contains(text, "⚡") {
			mark(i-1, i+1)
			for j := i + 1; j < len(lines) && strings.HasPrefix(lines[j].text(), " "); j++ {
				mark(j, j)
			}
		}
	}
	mark(reports-4, reports-1)
	var chosen []line
	for i, l := range lines {
		switch {
		case i >= reports && len(chosen) < rows, i < reports && keep[i]:
			chosen = append(chosen, l)
		case i < reports && i > 0 && keep[i-1]:
			chosen = append(chosen, line{{text: "⋮", style: style{colour: "245"}}})
		}
	}
	return chosen
}
