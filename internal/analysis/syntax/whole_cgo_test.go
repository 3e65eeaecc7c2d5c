//go:build cgo

package syntax

import "testing"

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
