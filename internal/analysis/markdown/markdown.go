// Package markdown says what GitHub-flavoured Markdown is cut into: blocks with the byte ranges they have in
// the source (SW-4). Package blocks cuts it.
package markdown

import "strings"

// Kind says what a block is.
type Kind int

// Kinds of blocks.
const (
	Prose    Kind = iota // paragraph, heading, table, HTML
	Fence                // fenced code
	Indented             // code indented by four spaces
	List                 // a list without check boxes
	TaskList             // a list with at least one check box
	Quote                // block quote
)

// Block is one block. Start and End are bytes into the source and cover whole
// lines; fences inside lists and quotes are blocks of their own, and split
// what is around them.
type Block struct {
	Kind       Kind
	Start, End int
	Info       string // Fence: all of the info string
	Language   string // Fence: its first word, lower case
	Body       string // Fence, Indented: the code without fence and indentation
	Tasks      []Task // TaskList
}

// Task is one entry of a task list.
type Task struct {
	Text string
	Done bool
}

// HasBlocks reports cheaply whether text can hold anything but prose and plain
// lists: fences, check boxes. Without it there is no need for [Blocks] where
// only those matter.
func HasBlocks(text string) bool {
	return strings.Contains(text, "```") || strings.Contains(text, "~~~")
}
