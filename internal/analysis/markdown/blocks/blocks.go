// Package blocks cuts GitHub-flavoured Markdown into blocks with the byte ranges they have in the
// source (SW-4). Only block structure is parsed; the inside of a paragraph is left to package
// prose.
package blocks

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
)

// The parser holds no state between calls. Inline parsing is left out, since it is most
// of the cost and not needed here.
var blockParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
)

// Of parses source, any text; it never fails. Blocks are in order and do
// not overlap; blank lines between them belong to none.
func Of(source string) []markdown.Block {
	src := []byte(source)
	doc := blockParser.Parse(text.NewReader(src))
	var out []markdown.Block
	for node := doc.FirstChild(); node != nil; node = node.NextSibling() {
		start, end := lineStart(src, node.Pos()), len(src)
		if next := following(node); next != nil {
			end = lineStart(src, next.Pos())
		}
		if len(out) > 0 {
			start = max(start, out[len(out)-1].End)
		}
		out = appendNode(out, src, node, start, end)
	}
	return out
}

// following returns the next sibling with a known position.
func following(node ast.Node) ast.Node {
	for node = node.NextSibling(); node != nil && node.Pos() < 0; {
		node = node.NextSibling()
	}
	return node
}

func lineStart(src []byte, pos int) int {
	if pos < 0 || pos > len(src) {
		return 0
	}
	return bytes.LastIndexByte(src[:pos], '\n') + 1
}

func appendNode(out []markdown.Block, src []byte, node ast.Node, start, end int) []markdown.Block {
	switch n := node.(type) {
	case *ast.FencedCodeBlock:
		return appendFence(out, src, n, start, end)
	case *ast.CodeBlock:
		return appendBlock(out, src, markdown.Block{Kind: markdown.Indented, Start: start, End: end, Body: body(src, n.Lines())})
	case *ast.List:
		b := markdown.Block{Kind: markdown.List, Start: start, End: end}
		if b.Tasks = tasks(src, n); len(b.Tasks) > 0 {
			b.Kind = markdown.TaskList
		}
		return appendAround(out, src, node, b)
	case *ast.Blockquote:
		return appendAround(out, src, node, markdown.Block{Kind: markdown.Quote, Start: start, End: end})
	default:
		return appendBlock(out, src, markdown.Block{Kind: markdown.Prose, Start: start, End: end})
	}
}

// appendAround appends a container, split by the fences in it.
func appendAround(out []markdown.Block, src []byte, node ast.Node, b markdown.Block) []markdown.Block {
	whole := b
	for _, fence := range fences(node) {
		start := lineStart(src, fence.Pos())
		if start < b.Start || start >= whole.End {
			continue
		}
		b.End = start
		out = appendBlock(out, src, b)
		out = appendFence(out, src, fence, start, whole.End)
		b.Start, b.End, b.Tasks = max(start, out[len(out)-1].End), whole.End, nil
		if b.Kind == markdown.TaskList {
			b.Kind = markdown.List // its tasks are kept with its first part
		}
	}
	return appendBlock(out, src, b)
}

func fences(node ast.Node) (out []*ast.FencedCodeBlock) {
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if fence, ok := n.(*ast.FencedCodeBlock); ok && entering {
			out = append(out, fence)
		}
		return ast.WalkContinue, nil
	})
	return out
}

// appendBlock trims blank lines at both ends and drops empty blocks.
func appendBlock(out []markdown.Block, src []byte, b markdown.Block) []markdown.Block {
	if b.Start >= b.End || len(bytes.TrimSpace(src[b.Start:b.End])) == 0 {
		return out
	}
	blank := src[b.Start : b.End-len(bytes.TrimLeft(src[b.Start:b.End], " \t\r\n"))]
	b.Start += bytes.LastIndexByte(blank, '\n') + 1
	b.End = b.Start + len(bytes.TrimRight(src[b.Start:b.End], " \t\r\n"))
	return append(out, b)
}

// appendFence ends the block at its closing fence, or where it was cut off.
func appendFence(out []markdown.Block, src []byte, n *ast.FencedCodeBlock, start, limit int) []markdown.Block {
	b := markdown.Block{Kind: markdown.Fence, Start: start, Body: body(src, n.Lines())}
	if n.Info != nil {
		b.Info = string(n.Info.Value(src))
		first, _, _ := strings.Cut(b.Info, " ")
		b.Language = strings.ToLower(strings.Trim(first, "{}."))
	}
	at := nextLine(src, max(start, n.Pos()))
	if lines := n.Lines(); lines.Len() > 0 {
		at = lines.At(lines.Len() - 1).Stop
	}
	b.End = min(at, limit)
	if end := nextLine(src, at); end <= limit && isFenceLine(src[at:end]) {
		b.End = end
	}
	b.End = max(b.End, min(start+1, limit))
	b.End = start + len(bytes.TrimRight(src[start:b.End], "\r\n"))
	return append(out, b)
}

func nextLine(src []byte, at int) int {
	if at >= len(src) {
		return len(src)
	}
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

func isFenceLine(line []byte) bool {
	trimmed := bytes.Trim(line, " \t\r\n>")
	return len(trimmed) >= 3 && (len(bytes.Trim(trimmed, "`")) == 0 || len(bytes.Trim(trimmed, "~")) == 0)
}

func body(src []byte, lines *text.Segments) string {
	var b strings.Builder
	for i := range lines.Len() {
		line := lines.At(i)
		b.Write(line.Value(src))
	}
	return b.String()
}

// tasks returns the check boxes of a list and of the lists in it.
func tasks(src []byte, list *ast.List) (out []markdown.Task) {
	_ = ast.Walk(list, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		item, ok := n.(*ast.ListItem)
		if !ok || !entering || item.FirstChild() == nil || item.FirstChild().Type() != ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		lines := item.FirstChild().Lines()
		if lines == nil || lines.Len() == 0 {
			return ast.WalkContinue, nil
		}
		if task, ok := task(body(src, lines)); ok {
			out = append(out, task)
		}
		return ast.WalkContinue, nil
	})
	return out
}

func task(item string) (markdown.Task, bool) {
	if len(item) < 4 || item[0] != '[' || item[2] != ']' || (item[3] != ' ' && item[3] != '\t') {
		return markdown.Task{}, false
	}
	mark := item[1]
	if mark != ' ' && mark != 'x' && mark != 'X' {
		return markdown.Task{}, false
	}
	return markdown.Task{Text: strings.Join(strings.Fields(item[4:]), " "), Done: mark != ' '}, true
}
