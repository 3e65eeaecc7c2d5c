package syntax

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

func TestLanguageOf(t *testing.T) {
	for file, want := range map[string]string{
		"a/b.py": "python", "x.TSX": "typescript", "x.mjs": "javascript", "Gemfile": "ruby", "deploy/Dockerfile": "dockerfile",
		`C:\src\main.go`: "go", "README": "", "": "", "a.unknown": "", ".env": "", "x.d.ts": "typescript", "lib.rs": "rust",
	} {
		require.Equal(t, want, LanguageOf(file), file)
	}
	for tag, want := range map[string]string{"py": "python", "Golang": "go", "ts": "typescript", "python": "python", "c++": "cpp", "markdown": "markdown", "nonsense": "", "": ""} {
		require.Equal(t, want, LanguageTagged(tag), tag)
	}
	require.True(t, Reads("rust"))
	require.False(t, Reads("sql"))
}

func TestImports(t *testing.T) { // A2
	for _, c := range []struct {
		language, code string
		want           []string
	}{
		{"python", "import os.path\nfrom ..models import User\n# import sys\nx = 'import json'\n\"\"\"\nimport re\n\"\"\"\n", []string{"os.path", "..models"}},
		{"javascript", "import a, { b } from './a'\nimport 'side'\nconst c = require(\"c\")\n// import x from 'x'\nexport { y } from \"y\"\n", []string{"./a", "side", "y", "c"}},
		{"typescript", "import type {\n  A,\n} from '@scope/a';\nconst m = await import('./lazy');\n", []string{"@scope/a", "./lazy"}},
		{"go", "import \"fmt\"\nimport (\n\t\"os\"\n\tx \"a.b/c\"\n)\nvar s = []string{\n\t\"no\",\n}\n", []string{"fmt", "os", "a.b/c"}},
		{"java", "import java.util.List;\nimport static org.junit.Assert.*;\n", []string{"java.util.List", "org.junit.Assert.*"}},
		{"ruby", "require 'json'\nrequire_relative \"../a\"\n", []string{"json", "../a"}},
		{"php", "use App\\Models\\User;\nrequire_once 'x.php';\n", []string{`App\Models\User`, "x.php"}},
		{"rust", "use std::collections::{HashMap};\npub use crate::a::b;\nextern crate serde;\n", []string{"std::collections", "crate::a::b", "serde"}},
		{"sql", "select 1", nil},
	} {
		require.Equal(t, c.want, Imports(c.language, c.code), c.language)
	}
}

func TestShinglesFollowTheBody(t *testing.T) { // SW-10
	body := "    rows = self.db.query(sql, user_id)\n    for row in rows:\n        total += row.amount\n    return total\n"
	list := Symbols("python", "def first(self, user_id):\n"+body+"\ndef second(self, user_id):\n"+body+"\ndef third(x):\n    return x\n", 0)
	require.Len(t, list, 3)
	require.Equal(t, list[0].Shingles, list[1].Shingles, "the head is no part of the body")
	require.True(t, slices.IsSorted(list[0].Shingles))
	require.LessOrEqual(t, len(list[0].Shingles), SketchSize)
	require.Zero(t, similarity.Compare(list[0].Shingles, list[2].Shingles, SketchSize).Contained)
	require.Zero(t, list[0].Line, "no line without a first line")

	braces := Symbols("go", "func A() {\n\tx := map[string]int{\"}\": 1}\n\tcall(x)\n}\nfunc B() {\n\tother()\n}\n", 5)
	require.Len(t, braces, 2)
	require.Equal(t, 9, braces[1].Line)
	require.Equal(t, similarity.Sketch("other", SketchSize), braces[1].Shingles)
}

// Masks keep length and lines, whatever the code.
func TestMaskKeepsLines(t *testing.T) {
	for name, l := range load().Languages {
		for _, code := range []string{"a \"b\n' c", "/* x", "\"\"\"\n", "`a\nb", "'\\", "# é\n\xff", "'''a'''\"\"\""} {
			masked := string(l.mask(code))
			require.Len(t, masked, len(code), name)
			require.Equal(t, strings.Count(code, "\n"), strings.Count(masked, "\n"), name)
		}
	}
}

// samples are seeds that look like the languages.
var samples = map[string]string{
	"python":     "class A(B):\n    def f(self, x: int = 3) -> str:\n        \"\"\"doc\n        \"\"\"\n        return x\n",
	"javascript": "export class A { async f(a, {b}) { return `x${a}` } }\nconst g = (x) => { }\n",
	"typescript": "interface A { x: string }\ntype B<T> = T | A;\nclass C { private f<T>(a?: T): void { } }\n",
	"go":         "type S struct{ a int }\nfunc (s *S) F(ctx context.Context) error {\n\treturn nil\n}\n",
	"java":       "public class A { @Override public int f(List<String> x) throws E { return 1; } }\n",
	"ruby":       "module M\n  class A < B\n    def f(x) = x\n  end\nend\n",
	"php":        "abstract class A { public static function f(int $x): ?B { return null; } }\n",
	"rust":       "impl<T> A for B<T> {\n    pub async fn f<'a>(&'a self) -> u8 { 'x' }\n}\n",
}

func FuzzSymbols(f *testing.F) {
	for language, code := range samples {
		f.Add(language, code, 0, "(")
		f.Add(language, code[len(code)/2:], len(code)/4, "{\"")
	}
	f.Fuzz(func(t *testing.T, language, code string, at int, insert string) {
		if at >= 0 && at < len(code) { // a mutation beside the engine's own
			code = code[:at] + insert + code[at:]
		}
		list := Symbols(language, code, 1)
		lines := strings.Count(code, "\n") + 1
		for _, s := range list {
			require.NotEmpty(t, s.Name)
			require.Contains(t, code, s.Name)
			require.True(t, s.Line >= 1 && s.Line <= lines, "line %d of %d", s.Line, lines)
			require.LessOrEqual(t, len(s.Shingles), SketchSize)
		}
		require.Equal(t, list, Symbols(language, code, 1), "the same code gives the same symbols")
		Imports(language, code)
	})
}

// Cutting and mutating code at every place breaks nothing: all languages, all
// cuts.
func TestCutCodeIsRead(t *testing.T) {
	for language, code := range samples {
		for i := range len(code) {
			require.NotPanics(t, func() {
				Symbols(language, code[i:], 1)
				Symbols(language, code[:i], 1)
				Symbols(language, code[:i]+"\"{("+code[i:], 1)
			})
		}
		require.NotEmpty(t, Symbols(language, code, 1), language)
	}
}

func TestCodeBlanksCommentsAndStrings(t *testing.T) {
	code := Read("go", "a(\"fetch\") // fetch\nb()").Code()
	require.Len(t, code, len("a(\"fetch\") // fetch\nb()"))
	require.NotContains(t, code, "fetch")
	require.Contains(t, code, "b()")
	require.Equal(t, "x # y", Read("", "x # y").Code())
	require.Empty(t, Read("go", "").Code())
}

func TestLocalSymbols(t *testing.T) { // A1: what nobody else can use is no duplicate
	local := func(language, code string) map[string]bool {
		out := map[string]bool{}
		for _, s := range Symbols(language, code, 1) {
			out[s.Name] = s.Local
		}
		return out
	}
	require.Equal(t, map[string]bool{"outer": false, "inner": true, "Thing": false, "method": false},
		local("python", "def outer():\n    def inner():\n        pass\n\nclass Thing:\n    def method(self):\n        pass\n"))
	require.Equal(t, map[string]bool{"loose": true}, local("python", "    def loose():\n        pass\n"))
	require.Equal(t, map[string]bool{"Page": false, "save": true},
		local("typescript", "export function Page() {\n  const save = () => {\n    store();\n  };\n}\n"))
	require.Equal(t, map[string]bool{"Run": false}, local("go", "func (s *Server) Run() {\n}\n"))
}

func TestCallsFollowTheBody(t *testing.T) { // SW-10
	list := Symbols("python", "def a():\n    return load(path)\n\ndef b():\n    x = load(other)\n    return x\n\ndef c():\n    pass\n", 1)
	require.Len(t, list, 3)
	require.Len(t, list[0].Calls, 1)
	require.Equal(t, list[0].Calls, list[1].Calls)
	require.Empty(t, list[2].Calls)
}
