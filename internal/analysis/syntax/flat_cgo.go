//go:build cgo

package syntax

/*
#include <stdbool.h>
#include <stdint.h>

// The library's own structures, whose layout is part of its interface. The functions are weak, so
// that this package links alone in cgo's trial link; the real ones come with go-tree-sitter.
typedef struct { uint32_t context[4]; const void *id; const void *tree; } ts_node;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } ts_cursor;

extern uint32_t ts_node_descendant_count(ts_node) __attribute__((weak));
extern uint16_t ts_node_symbol(ts_node) __attribute__((weak));
extern uint32_t ts_node_start_byte(ts_node) __attribute__((weak));
extern uint32_t ts_node_end_byte(ts_node) __attribute__((weak));
extern ts_cursor ts_tree_cursor_new(ts_node) __attribute__((weak));
extern void ts_tree_cursor_delete(ts_cursor *) __attribute__((weak));
extern ts_node ts_tree_cursor_current_node(const ts_cursor *) __attribute__((weak));
extern uint16_t ts_tree_cursor_current_field_id(const ts_cursor *) __attribute__((weak));
extern bool ts_tree_cursor_goto_parent(ts_cursor *) __attribute__((weak));
extern bool ts_tree_cursor_goto_next_sibling(ts_cursor *) __attribute__((weak));
extern bool ts_tree_cursor_goto_first_child(ts_cursor *) __attribute__((weak));

typedef struct { uint32_t start, end; uint16_t kind, field, depth; } flat_node;

static uint32_t count_nodes(const ts_node *root) { return ts_node_descendant_count(*root); }

// flatten lists up to limit nodes in order of the code, none deeper than deepest.
static uint32_t flatten(const ts_node *root, flat_node *out, uint32_t limit, uint16_t deepest) {
	ts_cursor cursor = ts_tree_cursor_new(*root);
	uint32_t count = 0;
	uint16_t depth = 0;
	while (count < limit) {
		ts_node node = ts_tree_cursor_current_node(&cursor);
		flat_node *f = &out[count++];
		f->start = ts_node_start_byte(node);
		f->end = ts_node_end_byte(node);
		f->kind = ts_node_symbol(node);
		f->field = ts_tree_cursor_current_field_id(&cursor);
		f->depth = depth;
		if (depth < deepest && ts_tree_cursor_goto_first_child(&cursor)) {
			depth++;
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
			if (!ts_tree_cursor_goto_parent(&cursor)) {
				ts_tree_cursor_delete(&cursor);
				return count;
			}
			depth--;
		}
	}
	ts_tree_cursor_delete(&cursor);
	return count;
}
*/
import "C"

import (
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// flatNode is a node in the form in which C lists it.
type flatNode struct {
	start, end         uint32
	kind, field, depth uint16
}

// A different layout does not compile.
var (
	_ [unsafe.Sizeof(sitter.Node{}) - unsafe.Sizeof(C.ts_node{})]struct{}
	_ [unsafe.Sizeof(C.ts_node{}) - unsafe.Sizeof(sitter.Node{})]struct{}
	_ [unsafe.Sizeof(flatNode{}) - unsafe.Sizeof(C.flat_node{})]struct{}
	_ [unsafe.Sizeof(C.flat_node{}) - unsafe.Sizeof(flatNode{})]struct{}
)

// flattened lists a tree's nodes in order of the code with a single C call, since one
// call per node and property would cost as much as the parse.
func flattened(tree *sitter.Tree) []flatNode {
	node := tree.RootNode()
	root := (*C.ts_node)(unsafe.Pointer(node))
	out := make([]flatNode, min(int(C.count_nodes(root)), maxTreeNodes))
	n := C.flatten(root, (*C.flat_node)(unsafe.Pointer(&out[0])), C.uint32_t(len(out)), C.uint16_t(maxTreeDepth))
	return out[:n]
}
