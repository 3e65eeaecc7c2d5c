package similarity

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestWords(t *testing.T) {
	for name, want := range map[string][]string{
		"getUserID": {"get", "user", "id"}, "HTTPServer2": {"http", "server2"}, "load_all-URLs": {"load", "all", "urls"},
		"FooV2": {"foo", "v2"}, "sha256Sum": {"sha256", "sum"}, "__init__": {"init"}, "URLsFor": {"urls", "for"},
		"x": {"x"}, "": nil, "éclairMenü": {"éclair", "menü"}, "parseJSON": {"parse", "json"}, "IDs": {"ids"},
	} {
		require.Equal(t, want, Words(name), name)
	}
}

func TestNames(t *testing.T) { // A1
	for _, c := range []struct {
		a, b      string
		low, high float64
	}{
		{"fetchUser", "fetchUser", 1, 1},
		{"fetchUser", "fetch_user", 1, 1},
		{"fetchUser", "get_account", 0.85, 0.95},
		{"loadUsers", "getUser", 0.85, 0.99},
		{"userGet", "getUser", 1, 1},
		{"parseConfig", "parse_configuration", 0.9, 1},
		{"normalizeAddress", "normaliseAddress", 0.85, 1},
		{"fetchUser", "renderChart", 0, 0.1},
		{"getUser", "getOrder", 0.4, 0.6},
		{"", "x", 0, 0},
	} {
		s := Names(c.a, c.b)
		require.True(t, s >= c.low && s <= c.high, "%s ~ %s = %.2f, want %.2f–%.2f", c.a, c.b, s, c.low, c.high)
		require.InDelta(t, s, Names(c.b, c.a), 1e-9)
	}
	require.Equal(t, Key("fetchUser"), Key("get_accounts"))
	require.NotEqual(t, Key("fetchUser"), Key("fetchOrder"))
}

func TestSynonymGroupsDoNotOverlap(t *testing.T) {
	var c struct {
		Groups [][]string `yaml:"groups"`
	}
	require.NoError(t, rules.Default().Decode("synonyms", &c))
	seen := map[string]string{}
	for _, g := range c.Groups {
		for _, w := range g {
			assert.True(t, seen[w] == "" || seen[w] == g[0], "%s stands in the groups of %s and %s", w, seen[w], g[0])
			seen[w] = g[0]
			assert.Equal(t, g[0], Normal(w), "the stem of %s belongs to another group", w)
		}
	}
}

func TestSketchIsBottomK(t *testing.T) {
	code := text(0, 500)
	all := Sketch(code, 1<<20)
	require.True(t, slices.IsSorted(all))
	require.Equal(t, all[:64], Sketch(code, 64))
	require.Equal(t, Sketch(code, 64)[:16], Truncate(Sketch(code, 64), 16))
	require.Nil(t, Sketch("{ ; }", 64))
	require.Len(t, Sketch("a b", 64), 1)
	require.Len(t, SketchOf([]string{"a", "b", "a"}, 8), 2)
}

// text is n distinct tokens from number from on.
func text(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "token%d ", from+i)
	}
	return b.String()
}

func TestCompareEstimatesContainment(t *testing.T) { // "overlap" is containment
	whole, part, other := Sketch(text(0, 1000), 64), Sketch(text(100, 300), 64), Sketch(text(5000, 300), 64)
	o := Compare(part, whole, 64)
	require.InDelta(t, 1, o.Contained, 0.1)
	require.InDelta(t, 0.3, o.Containing, 0.2)
	require.Zero(t, Compare(other, whole, 64).Contained)
	require.Equal(t, Overlap{Contained: 1, Containing: 1, Jaccard: 1, Sample: 64}, Compare(whole, whole, 64))
	require.Equal(t, Overlap{}, Compare(nil, nil, 64))
}

// With sketches longer than the sets the comparison is exact.
func TestCompareIsExactOnSmallSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfDistinct(rapid.Uint32(), rapid.ID[uint32]).Draw(t, "a")
		b := append(slices.Clone(a[:len(a)/2]), rapid.SliceOfDistinct(rapid.Uint32(), rapid.ID[uint32]).Draw(t, "b")...)
		slices.Sort(a)
		slices.Sort(b)
		b = slices.Compact(b)
		both := 0
		for _, v := range a {
			if _, ok := slices.BinarySearch(b, v); ok {
				both++
			}
		}
		o := Compare(a, b, 1<<20)
		require.Equal(t, len(a), o.Sample)
		require.InDelta(t, share(both, len(a)), o.Contained, 1e-9)
		require.InDelta(t, share(both, len(b)), o.Containing, 1e-9)
	})
}

func BenchmarkSketch4KB(b *testing.B) {
	code := strings.Repeat("value = self.client.request(path, timeout=30)\n", 90)
	for b.Loop() {
		Sketch(code, 64)
	}
}

func BenchmarkNames(b *testing.B) {
	for b.Loop() {
		Names("fetchUserAccount", "load_member_by_id")
	}
}

func TestCallsOfCode(t *testing.T) { // SW-10
	code := "x = db.save(load(path), retries=3)\nif (x) { return save(x) }"
	shingles, calls := SketchCode(code, 64, 8)
	require.Equal(t, Sketch(code, 64), shingles)
	require.Len(t, calls, 2, "save and load")
	_, same := SketchCode("load(a)\nother.save(b, c, d)", 64, 8)
	require.Equal(t, calls, same, "what is called does not depend on what it is called with")
	_, one := SketchCode(code, 64, 1)
	require.Equal(t, calls[:1], one)
	_, none := SketchCode("a = b + c * d", 64, 8)
	require.Empty(t, none)
	for _, h := range shingles {
		require.Equal(t, h, h&Precision)
	}
}
