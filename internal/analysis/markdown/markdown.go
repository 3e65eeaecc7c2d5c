// Package markdown defines the blocks of GitHub-flavoured Markdown with their byte ranges
// in the source (SW-4). Package blocks parses them.
package markdown

import "strings"

// Kind is the kind of a block.
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

// Block is one block. Start and End are bytes into the source and cover whole lines;
// fences inside lists and quotes are separate blocks that split the surrounding one.
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

// HasBlocks reports cheaply whether text can contain anything other than prose and plain
// lists: fences, check boxes. If only those matter, [Blocks] is not needed without them.
func HasBlocks(text string) bool {
	return strings.Contains(text, "```") || strings.Contains(text, "~~~")
}
