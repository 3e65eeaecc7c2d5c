package secrets

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// SW-7: a token of parts after an authentication scheme is no code, though code joins names with dots, too.
func TestATokenOfPartsAfterAScheme(t *testing.T) {
	s, random := testScanner(t), rand.New(rand.NewPCG(1, 2))
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	part := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	found := func(text, value string) bool {
		return slices.ContainsFunc(s.Find(text, ""), func(f Finding) bool {
			return f.Value == value && f.Confidence >= 0.8
		})
	}
	for range 50 {
		token := part(24) + "." + part(24) + "." + part(32)
		require.True(t, found("Authorization: Bearer "+token, token))
		require.True(t, found("> authorization: token "+token+"\n< 200", token))
	}
	for _, code := range []string{"config.token", "process.env.API_TOKEN2", "credentials.v2.accessToken"} {
		require.False(t, found("Authorization: Bearer "+code, code))
	}
}
