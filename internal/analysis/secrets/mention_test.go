package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// A comment or sentence that names a call, an identifier or a code span after a colon assigns nothing
// (B1).
func TestProseThatNamesCode(t *testing.T) {
	config, err := LoadConfig(rules.Default())
	require.NoError(t, err)
	scanner, err := New(config, []byte(strings.Repeat("k", 32)))
	require.NoError(t, err)
	for _, text := range []string{
		"// would pass: `user.Save()`", "# These would pass: 'user.save!'", "// password: \"user.Save()\"", "pass: `Auth.login(user)`",
		"The password: \"Store::get(key)\" is checked", "password = \"readPassword()\"", " * pass: 'account.owner'",
	} {
		require.Empty(t, scanner.Find(text, "a.go"), text)
	}
	for _, text := range []string{"password = \"" + "hunter2" + "zz9\"", "// password: " + "hunter2" + "zz9x", "password: `" + "s3cr3t" + "Passw0rd`", "password = \"" + "Tr0ub4dor(3)" + "\""} {
		require.NotEmpty(t, scanner.Find(text, "a.go"), text)
	}
}
