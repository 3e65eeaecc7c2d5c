package assertion

import (
	"os"
	"strings"
	"testing"
)

// Whatever a piece holds, reading it ends, its lines exist, and it compares with itself
// as unchanged.
func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Split(line, " | "); len(fields) == 4 {
			f.Add(fields[0], strings.ReplaceAll(fields[1], `\n`, "\n"), fields[2])
		}
	}
	f.Add("python", "assert (((((a == [1, 2", "assert a or True, '''")
	f.Add("javascript", "expect(a).", "x.should.be.`")
	r := reader(f)
	f.Fuzz(func(t *testing.T, language, before, after string) {
		a, b := r.Read(language, before), r.Read(language, after)
		lines := strings.Count(before, "\n")
		for _, x := range a.Assertions {
			if x.Line < 0 || x.Line > lines {
				t.Fatalf("line %d of %d", x.Line, lines)
			}
		}
		if same := r.Pair(a.Assertions, a.Assertions); len(same) > 0 {
			t.Fatalf("%q differs from itself: %+v", before, same)
		}
		if changes := r.Pair(a.Assertions, b.Assertions); len(changes) > len(a.Assertions) {
			t.Fatalf("%d changes of %d assertions", len(changes), len(a.Assertions))
		}
	})
}
