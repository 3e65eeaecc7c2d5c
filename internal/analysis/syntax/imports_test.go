package syntax

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Looking for several ways at once finds what looking for each does.
func TestImportsTogetherAsEach(t *testing.T) {
	words := []string{
		"import a.b", "from c import d", "import (", "\t\"x/y\"", "use foo::bar;", "extern crate z;", "require('m');", "import q from \"r\"",
		"} from './s'", "const u = require(\"v\")", "export * from 'w'", "include 'x.php';", "pub(crate) use k::l;", "require_relative 'n'", "import static j.K;", "// import z", "\"import y\"", "",
	}
	for name, l := range load().Languages {
		for shift := range words {
			var lines []string
			for i := range words {
				lines = append(lines, words[(i*(shift+1)+shift)%len(words)])
			}
			code := strings.Join(lines, "\n")
			masked := l.mask(code)
			var want []string
			seen := map[string]bool{}
			for _, p := range l.Imports {
				for _, m := range regexp.MustCompile(p).FindAllStringSubmatchIndex(code, -1) {
					if module := code[m[2]:m[3]]; !seen[module] && masked[skipBlank(code, m[0])] == code[skipBlank(code, m[0])] {
						seen[module] = true
						want = append(want, module)
					}
				}
			}
			require.Equal(t, want, Imports(name, code), name)
		}
	}
}
