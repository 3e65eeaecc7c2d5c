package policy

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxEnvelopeExports limits the public envelope package: every export is a promise to publishers.
const maxEnvelopeExports = 60

func TestEnvelopeStaysSmall(t *testing.T) {
	exports := 0
	for _, f := range repository(t).files {
		if f.folder != "pkg/events" || f.test {
			continue
		}
		for _, d := range f.syntax.Decls {
			exports += exported(d)
		}
	}
	require.NotZero(t, exports)
	require.LessOrEqual(t, exports, maxEnvelopeExports, "pkg/events exports too much: payloads belong to pkg/events/session or run, subjects to pkg/events/subjects")
}

// exported counts the exported names of a top-level declaration, methods aside.
func exported(d ast.Decl) (n int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}
