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
