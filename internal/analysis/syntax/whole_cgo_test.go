//go:build cgo

package syntax

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What only the tree knows: parameters without brackets, and that a
// parenthesised value is no function.
func TestTreeConfirms(t *testing.T) {
	require.Equal(t, "tree", Tier())
	require.Equal(t, []string{"1 function add(item, tax: 0)"}, listed("ruby", "def add item, tax: 0\n  @items << item\nend\n"))
	require.Empty(t, listed("javascript", "const a = (b) || {\n}\n"))
}

// A .ts or .tsx file with elements in it is read by the grammar that knows them,
// one without by TypeScript's own, which alone knows casts in angle brackets.
func TestTreeWithMarkup(t *testing.T) {
	kinds := func(code string) map[string]bool {
		tree, _ := parseAt("typescript", code, 0, nil, nil)
		found := map[string]bool{}
		tree.Root.Walk(func(n *Node) bool {
			found[n.Kind] = true
			return true
		})
		return found
	}
	element := kinds("export function Bio({ html }: { html: string }) {\n  return <div title={html} />;\n}\n")
	require.True(t, element["jsx_self_closing_element"])
	require.False(t, element["ERROR"])
	cast := kinds("const a = <string>value + '</b>';\n")
	require.True(t, cast["type_assertion"])
	require.False(t, cast["ERROR"])
	broken := kinds("const a = <string>value;\nif (\n")
	require.True(t, broken["ERROR"])
}

// BenchmarkWholeFragment is what Symbols is measured against: one tree of the
// whole fragment.
func BenchmarkWholeFragment(b *testing.B) {
	code, l := []byte(fourKilobytes(5)), load().Languages["python"]
	p := l.parsers.parser()
	defer p.Close()
	for b.Loop() {
		p.Parse(code, nil).Close()
	}
}
