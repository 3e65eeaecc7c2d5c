package policy

import (
	"go/ast"
	"strings"
	"testing"
)

// slowToStart are calls that cost every program their time before main begins,
// each with what to write instead.
var slowToStart = map[string]string{
	"regexp.MustCompile":      "pattern.Must, which compiles on first use",
	"regexp.Compile":          "pattern.Must, which compiles on first use",
	"re2.MustCompile":         "pattern.MustRE2, which compiles on first use",
	"re2.Compile":             "pattern.MustRE2, which compiles on first use",
	"template.Must":           "sync.OnceValue around it",
	"template.New":            "sync.OnceValue around it",
	"yaml.Unmarshal":          "sync.OnceValue around it",
	"json.Unmarshal":          "sync.OnceValue around it",
	"rules.Default":           "sync.OnceValue around it",
	"rules.Load":              "sync.OnceValue around it",
	"experimental.CompileSet": "pattern.Compiler.Set, which compiles on first use",
}

// A program that only prints its version starts in milliseconds: nothing of a
// package is compiled or parsed before it is needed.
func TestNothingIsCompiledBeforeMain(t *testing.T) {
	r := repository(t)
	for _, f := range r.files {
		if f.test || strings.HasPrefix(f.path, "test/") {
			continue
		}
		for _, d := range f.syntax.Decls {
			for _, value := range beforeMain(d) {
				ast.Inspect(value, func(n ast.Node) bool {
					if _, later := n.(*ast.FuncLit); later {
						return false
					}
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					if cure := slowToStart[name(call.Fun)]; cure != "" {
						t.Errorf("%s: %s runs before main, in every program that links the package; use %s", r.positions.Position(call.Pos()), name(call.Fun), cure)
					}
					return true
				})
			}
		}
	}
}

// beforeMain returns the code of a declaration that runs when its package starts.
func beforeMain(d ast.Decl) (code []ast.Node) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.Name == "init" && d.Recv == nil && d.Body != nil {
			code = append(code, d.Body)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				for _, value := range v.Values {
					code = append(code, value)
				}
			}
		}
	}
	return code
}

// name returns the name of what is called: "regexp.MustCompile".
func name(called ast.Expr) string {
	selector, ok := called.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if of, ok := selector.X.(*ast.Ident); ok {
		return of.Name + "." + selector.Sel.Name
	}
	return ""
}
