package naming

import (
	"strings"
	"testing"
	"testing/quick"

	"github.com/stretchr/testify/require"
)

func TestShortIdsAreUniqueAndStayBelowTheirParent(t *testing.T) {
	ids := []string{
		"03a1382e-ecd5-42c4-b3d4-5c659e165904", "03a13999-ecd5-42c4-b3d4-5c659e165904", "nightly", "checkout",
		"03a1382e-ecd5-42c4-b3d4-5c659e165904-agent-c7f2d1e0aa", "03a1382e-ecd5-42c4-b3d4-5c659e165904-agent-c7f2d1e0bb",
		"gone-agent-0011223344",
	}
	require.Equal(t, map[string]string{
		ids[0]: "03a138", ids[1]: "03a139", ids[2]: "nightly", ids[3]: "checkout",
		ids[4]: "03a138/c7f2d1e0aa", ids[5]: "03a138/c7f2d1e0bb", ids[6]: "gone/001122",
	}, Short(ids))
}

// No two ids share a short form, and each short form begins its id.
func TestShortIdsAreNeverAnothers(t *testing.T) {
	require.NoError(t, quick.Check(func(seeds []uint16) bool {
		var ids []string
		for _, s := range seeds { // few letters, so that many begin alike
			id := ""
			for n := s; n > 0 || id == ""; n /= 3 {
				id += string(rune('a' + n%3))
			}
			ids = append(ids, strings.Repeat("x", int(s%4))+id+strings.Repeat("y", int(s%9)))
		}
		owner := map[string]string{}
		for id, short := range Short(ids) {
			if other, taken := owner[short]; taken && other != id || !strings.HasPrefix(id, short) {
				return false
			}
			owner[short] = id
		}
		return true
	}, &quick.Config{MaxCount: 500}))
}

// Every short form means its id and no other.
func TestShortFormsMeanTheirId(t *testing.T) {
	const parent = "03a1382e-ecd5-42c4-b3d4-5c659e165904"
	ids := []string{parent, parent + "-agent-c7f2d1e0aa", parent + "-agent-c7f2d1e0bb", "03a13999-ecd5-42c4-b3d4-5c659e165904", "nightly", "nightly-agent-x1"}
	for id, short := range Short(ids) {
		require.True(t, Typed(short), short)
		for _, other := range ids {
			require.Equal(t, id == other, Means(short, other), "%s, %s", short, other)
		}
	}
	require.True(t, Means(parent+"-agent-c7f2d1e0a", ids[1]))
	require.False(t, Typed("a/b/c"))
	require.False(t, Typed("../x"))
	require.False(t, Typed(""))
}

func TestOpaqueIdsTellNobodyAnything(t *testing.T) {
	for id, want := range map[string]bool{
		"03a1382e-ecd5-42c4-b3d4-5c659e165904": true, "9f86d081884c7d659a2feaa0c55ad015": true, "5z4sk7xpwjg5p2zu2qq2hu7tnq": true,
		"2026-03-02-rate-limit": false, "nightly": false, "payments-webhook": false, "rollout-of-the-new-checkout": false,
	} {
		require.Equal(t, want, Opaque(id), id)
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "shop", Project("/home/me/shop"))
	require.Equal(t, "shop", Project(`C:\Users\me\shop\`))
	require.Empty(t, Project(""))
	require.Empty(t, Project("/"))
	require.Equal(t, "fix the login form", Task("fix the\n  login form"))
	require.Equal(t, "make the checkout page remember the address of …", Task("make the checkout page remember the address of people who come back"))
	require.Len(t, []rune(Task(strings.Repeat("я", 200))), taskWidth)
	require.Empty(t, Task(" "))
}

// CO-5a: of an id with a generated end, what people gave it stays and the rest is short.
func TestGeneratedEndsAreShort(t *testing.T) {
	for id, want := range map[string]string{
		"ralph-9e0b096400271ad1fe1b": "ralph-9e0b09", "nightly": "nightly", "2026-03-02-rate-limit": "2026-03-02-rate-limit",
		"03a1382e-ecd5-42c4-b3d4-5c659e165904":                "03a138",
		"03a1382e-ecd5-42c4-b3d4-5c659e165904-agent-c7f2d1e0": "03a138/c7f2d1e0",
		"payments-agent-b": "payments-agent-b",
	} {
		require.Equal(t, want, Brief(id))
	}
	two := Short([]string{"ralph-9e0b096400271ad1fe1b", "ralph-9e0b09ff00271ad1fe1b"})
	require.Equal(t, "ralph-9e0b096", two["ralph-9e0b096400271ad1fe1b"])
	require.True(t, Means("ralph-9e0b09", "ralph-9e0b096400271ad1fe1b"))
}
