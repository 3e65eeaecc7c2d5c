package workload

import (
	"fmt"
	"strings"
)

// outputs are what commands print: little of it is code.
var outputs = []func(m *maker, b *strings.Builder){
	func(m *maker, b *strings.Builder) { // a test run
		fmt.Fprintf(b, "tests/%s/test_%s.py::test_%s_%s PASSED [%3d%%]\n", m.pick(nouns), m.pick(nouns), m.pick(verbs), m.pick(nouns), m.random.IntN(100))
	},
	func(m *maker, b *strings.Builder) { // a server's log
		fmt.Fprintf(b, "2026-03-02 08:%02d:%02d,%03d INFO app.%s: %s %d %s in %d ms\n", m.random.IntN(60), m.random.IntN(60), m.random.IntN(1000), m.pick(nouns), m.pick(verbs), m.random.IntN(500), m.pick(nouns), m.random.IntN(900))
	},
	func(m *maker, b *strings.Builder) { // a listing
		fmt.Fprintf(b, "-rw-r--r--  1 dev dev %6d Mar  2 08:%02d %s_%s.py\n", m.random.IntN(90000), m.random.IntN(60), m.pick(nouns), m.pick(verbs))
	},
	func(m *maker, b *strings.Builder) { // a diff
		fmt.Fprintf(b, "%s    %s = %s(%s, limit=%d)\n", m.pick([]string{" ", " ", " ", "+", "-"}), m.pick(nouns), m.pick(verbs), m.pick(nouns), m.random.IntN(100))
	},
	func(m *maker, b *strings.Builder) { // data
		fmt.Fprintf(b, "  {\"id\": %d, \"%s\": \"%s-%04x\", \"%s\": [%d, %d], \"active\": true},\n", m.random.IntN(100000), m.pick(nouns), m.pick(verbs), m.random.IntN(65536), m.pick(nouns), m.random.IntN(50), m.random.IntN(50))
	},
	func(m *maker, b *strings.Builder) { // a page of documentation
		fmt.Fprintf(b, "- `%s_%s`: %s\n", m.pick(verbs), m.pick(nouns), m.prose(1))
	},
}

// output returns about size bytes of one kind of output.
func (m *maker) output(size int) string {
	var b strings.Builder
	line := outputs[m.random.IntN(len(outputs))]
	for b.Len() < size {
		line(m, &b)
	}
	return b.String()
}

// found returns about size bytes of a search's hits.
func (m *maker) found(size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "src/%s/%s.py:%d:%s", m.pick(nouns), m.pick(nouns), 1+m.random.IntN(400), m.statement())
	}
	return b.String()
}

// document returns about size bytes of Markdown.
func (m *maker) document(size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "## The %s of the %s\n\n%s\n\n", m.pick(nouns), m.pick(nouns), m.prose(3+m.random.IntN(6)))
	}
	return b.String()
}

// numbered returns a file as reading tools print it.
func numbered(text string) string {
	var b strings.Builder
	number := 0
	for line := range strings.Lines(text) {
		number++
		fmt.Fprintf(&b, "%6d→%s", number, line)
	}
	return b.String()
}
