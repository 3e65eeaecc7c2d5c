package rebuild

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func newInstance(t testing.TB) *instance {
	t.Helper()
	d, err := compile(rules.Default())
	require.NoError(t, err)
	return d
}

// C2: what an announcement is about.
func TestObject(t *testing.T) {
	d := newInstance(t)
	for text, want := range map[string]string{
		" the `load_orders` function":           "load_orders",
		" load_orders() again":                  "load_orders",
		" a new OrderService class for reports": "OrderService",
		" `src/orders.py` from scratch":         "src/orders.py",
		" orders.py":                            "orders.py",
		" tests for `load_orders`":              "",
		" the `load_orders` tests":              "",
		" `load_orders` `save_orders`":          "",
		" the documentation":                    "",
		" a function that calls `load_orders`":  "",
		"":                                      "",
		" it":                                   "",
	} {
		require.Equal(t, want, d.object(text), "%q", text)
	}
}

func FuzzObject(f *testing.F) {
	d := newInstance(f)
	for _, seed := range []string{"", "`", "`a`()", " the `load_orders` function — again", "a.b/c.d", "()", "é_ü", "\u00850A0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if name := d.object(text); name != "" {
			require.True(t, hasName(text), "the cheap look would have missed %q in %q", name, text)
			require.True(t, word(text, name), "%q is a word of %q", name, text)
		}
	})
}
