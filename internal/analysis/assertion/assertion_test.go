package assertion

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func reader(t testing.TB) *Reader {
	t.Helper()
	r, err := New(rules.Default())
	require.NoError(t, err)
	return r
}

// What became of assertions, language by language, beside twins that change nothing.
func TestPairs(t *testing.T) {
	r := reader(t)
	text, err := os.ReadFile("testdata/pairs.txt")
	require.NoError(t, err)
	count, harmless := 0, 0
	for _, line := range strings.Split(string(text), "\n") {
		fields := strings.Split(line, " | ")
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		require.Len(t, fields, 4, line)
		breaks := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
		before, after := breaks.Replace(fields[1]), breaks.Replace(fields[2])
		a, b := r.Read(fields[0], before), r.Read(fields[0], after)
		var got []string
		for _, c := range r.Pair(a.Assertions, b.Assertions) {
			got = append(got, string(c.How))
		}
		if got == nil {
			got = []string{"-"}
		}
		count++
		if fields[3] == "-" {
			harmless++
			if len(b.Assertions) == 0 {
				t.Errorf("%s: nothing is read after", line)
			}
		}
		if strings.Join(got, " ") != strings.TrimSpace(fields[3]) {
			t.Errorf("%s\n got %v\n before %+v\n after %+v", line, got, a.Assertions, b.Assertions)
		}
	}
	require.GreaterOrEqual(t, count, 80)
	require.GreaterOrEqual(t, harmless, count/2, "half of the pairs are harmless twins")
}
