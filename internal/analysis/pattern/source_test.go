package pattern

import (
	"os"
	"path/filepath"
	"regexp/syntax"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The source of a syntax tree is parsed as its String is: for what the language has, and every text of the rules.
func TestSourceMeansTheTree(t *testing.T) {
	texts := []string{
		``, `a`, `(?i)straße k[a-c]`, `a.b`, `(?s)a.b`, `^a$`, `(?m)^a$`, `\Aa\z`, `\ba\B`, `a*?b+?c??`, `(?:ab)*`,
		`[^a]`, `[^a-z\d]`, `[\]\^\\-]`, `[\pL_]`, `(?i)[k-s]`, `(a|b|)c`, `x{2,4}`, `[^\x00-\x{10FFFF}]`, `(?U)a*`, `a|(?:b|c)d`,
	}
	files, err := filepath.Glob("../../../rules/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		var root yaml.Node
		require.NoError(t, yaml.Unmarshal(content, &root), file)
		texts = scalars(texts, &root)
	}
	require.Greater(t, len(texts), 5000)
	compared := 0
	for _, text := range texts {
		tree, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			continue
		}
		tree = plain(tree.Simplify())
		again, err := syntax.Parse(source(tree), syntax.Perl)
		if err == nil && len(text) > 50 { // String is slow
			continue
		}
		want, wanted := syntax.Parse(tree.String(), syntax.Perl)
		require.Equal(t, wanted != nil, err != nil, "a counted repetition that nests too deeply: %s", text)
		if err == nil {
			require.Equal(t, want.String(), again.String(), text)
			compared++
		}
	}
	require.Greater(t, compared, 4000)
}

// plain returns a tree without groups that capture, which source leaves out.
func plain(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	for i, sub := range re.Sub {
		re.Sub[i] = plain(sub)
	}
	return re
}

func scalars(list []string, node *yaml.Node) []string {
	if node.Kind == yaml.ScalarNode {
		return append(list, node.Value)
	}
	for _, n := range node.Content {
		list = scalars(list, n)
	}
	return list
}
