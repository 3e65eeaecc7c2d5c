package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mutant is one change of one file.
type mutant struct {
	file       string
	source     string
	line       int
	kind       string
	start, end int // of what is replaced
	text       string
}

// mutated returns the file with the change.
func (m mutant) mutated() string { return m.source[:m.start] + m.text + m.source[m.end:] }

// before and after return the changed line.
func (m mutant) before() string { return lineAt(m.source, m.start) }
func (m mutant) after() string  { return lineAt(m.mutated(), m.start) }

func lineAt(source string, at int) string {
	start := strings.LastIndexByte(source[:at], '\n') + 1
	line, _, _ := strings.Cut(source[start:], "\n")
	return strings.TrimSpace(line)
}

// mutants returns what can be changed in the package of a folder, in order.
func mutants(folder string) ([]mutant, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	var all []mutant
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		found, err := mutate(path, string(source))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds nothing to mutate", folder)
	}
	return all, nil
}

// finder collects the mutants of one file.
type finder struct {
	path, source string
	positions    *token.FileSet
	found        []mutant
}

// mutate returns the mutants of one file.
func mutate(path, source string) ([]mutant, error) {
	f := &finder{path: path, source: source, positions: token.NewFileSet()}
	syntax, err := parser.ParseFile(f.positions, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", path, err)
	}
	if ast.IsGenerated(syntax) {
		return nil, nil
	}
	for _, d := range syntax.Decls {
		if fn, is := d.(*ast.FuncDecl); is && fn.Body != nil {
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				f.visit(n)
				return true
			})
			f.returns(fn)
		}
	}
	return f.found, nil
}

// text returns the source of a node.
func (f *finder) text(n ast.Node) string {
	return f.source[f.positions.Position(n.Pos()).Offset:f.positions.Position(n.End()).Offset]
}

func (f *finder) replace(kind string, from, to token.Pos, text string) {
	start, end := f.positions.Position(from), f.positions.Position(to)
	if f.source[start.Offset:end.Offset] != text {
		f.found = append(f.found, mutant{f.path, f.source, start.Line, kind, start.Offset, end.Offset, text})
	}
}

// operators are the changes of an operator, each with its name.
var operators = map[token.Token]map[string]token.Token{
	token.LSS: {"boundary": token.LEQ, "negate": token.GEQ}, token.LEQ: {"boundary": token.LSS, "negate": token.GTR},
	token.GTR: {"boundary": token.GEQ, "negate": token.LEQ}, token.GEQ: {"boundary": token.GTR, "negate": token.LSS},
	token.EQL: {"negate": token.NEQ}, token.NEQ: {"negate": token.EQL},
	token.LAND: {"logic": token.LOR}, token.LOR: {"logic": token.LAND},
	token.ADD: {"arithmetic": token.SUB}, token.SUB: {"arithmetic": token.ADD},
	token.MUL: {"arithmetic": token.QUO}, token.QUO: {"arithmetic": token.MUL},
	token.INC: {"arithmetic": token.DEC}, token.DEC: {"arithmetic": token.INC},
	token.ADD_ASSIGN: {"arithmetic": token.SUB_ASSIGN}, token.SUB_ASSIGN: {"arithmetic": token.ADD_ASSIGN},
}

func (f *finder) operator(op token.Token, at token.Pos) {
	for _, kind := range []string{"arithmetic", "boundary", "logic", "negate"} {
		if other, has := operators[op][kind]; has {
			f.replace(kind, at, at+token.Pos(len(op.String())), other.String())
		}
	}
}

func (f *finder) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.operator(n.Op, n.OpPos)
	case *ast.IncDecStmt:
		f.operator(n.Tok, n.TokPos)
	case *ast.AssignStmt:
		f.operator(n.Tok, n.TokPos)
	case *ast.BasicLit:
		if value, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
			f.replace("number", n.Pos(), n.End(), strconv.Itoa(value+1))
		}
	case *ast.Ident:
		if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
			f.replace("boolean", n.Pos(), n.End(), other)
		}
	case *ast.IfStmt:
		f.replace("never", n.Cond.Pos(), n.Cond.End(), "false && ("+f.text(n.Cond)+")")
		f.replace("always", n.Cond.Pos(), n.Cond.End(), "true || ("+f.text(n.Cond)+")")
	case *ast.BlockStmt:
		f.remove(n.List)
	case *ast.CaseClause:
		f.remove(n.Body)
	}
}

// remove leaves out one statement at a time.
func (f *finder) remove(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt:
		default:
			continue
		}
		f.replace("remove", s.Pos(), s.End(), "")
	}
}

// zeros are the zero values of result types by their first characters.
var zeros = []struct{ prefix, value string }{
	{"bool", "false"}, {"int", "0"}, {"uint", "0"}, {"float", "0"}, {"string", `""`}, {"error", "nil"}, {"*", "nil"}, {"[]", "nil"}, {"map", "nil"},
}

// returns makes a function return the zero values of its results.
func (f *finder) returns(fn *ast.FuncDecl) {
	zero := f.zero(fn.Type.Results)
	if zero == "" {
		return
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, inner := n.(*ast.FuncLit); inner {
			return false
		}
		if r, is := n.(*ast.ReturnStmt); is && len(r.Results) > 0 {
			f.replace("return zero", r.Results[0].Pos(), r.End(), zero)
		}
		return true
	})
}

func (f *finder) zero(results *ast.FieldList) string {
	if results == nil {
		return ""
	}
	var values []string
	for _, field := range results.List {
		typ := f.text(field.Type)
		value := "*new(" + typ + ")"
		for _, z := range zeros {
			if strings.HasPrefix(typ, z.prefix) {
				value = z.value
				break
			}
		}
		for range max(1, len(field.Names)) {
			values = append(values, value)
		}
	}
	return strings.Join(values, ", ")
}
