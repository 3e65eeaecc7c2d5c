// Package longfile makes long source files as people write them, for measuring what a reader of
// code costs: handlers, classes and helpers of a web program, repeated under other names.
package longfile

import (
	"embed"
	"strconv"
	"strings"
)

//go:embed code/*.txt
var code embed.FS

// Languages are the languages there are files in.
var Languages = []string{"go", "java", "javascript", "php", "python", "ruby", "typescript"}

// File returns a source file of about so many lines in one of [Languages].
func File(language string, lines int) string {
	head, err := code.ReadFile("code/" + language + ".head.txt")
	if err != nil {
		panic(err) // not one of Languages
	}
	body, err := code.ReadFile("code/" + language + ".txt")
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	b.Write(head)
	written, size := strings.Count(string(head), "\n"), strings.Count(string(body), "\n")
	for number := 1; written < lines; number++ {
		b.WriteString(strings.ReplaceAll(string(body), "§", strconv.Itoa(number)))
		written += size
	}
	if language == "java" {
		b.WriteString("}\n")
	}
	return b.String()
}
