package secrets

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
)

// inNames are places in which a key has no white space or quote behind it: parts of paths and URLs.
var inNames = []string{
	"/srv/keys/%s.json", "backup-%s.tar.gz", "https://api.example.org/v1/%s/users?page=1", "./keys/%s/notes.md", "%s.txt",
	`C:\keys\%s.pem`, "it is in keys/%s, or not", "cat keys/%s|sort", "open(%s)", "https://example.org/#%s&x=1", "mv a ./%s:old",
}

// A key in a file's name, or in the path of a URL, is one as well (24.7).
func TestKeysInNames(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(7)
	missed, all := map[string]int{}, 0
	for _, kind := range append(secretstest.Kinds(), "anthropic") {
		for _, form := range inNames {
			secret := "sk" + "-ant-api" + "03-" + g.Random(93) + "AA"
			if kind != "anthropic" {
				secret = g.Provider(kind)
			}
			if strings.ContainsAny(secret, "\n ") {
				continue
			}
			all++
			text := fmt.Sprintf(form, secret)
			found := false
			for _, f := range s.Find(text, "") {
				found = found || f.Start <= strings.Index(text, secret) && f.End >= strings.Index(text, secret)+len(secret)
			}
			if !found {
				missed[kind]++
			}
		}
	}
	require.Empty(t, missed, "of %d", all)
}

// Names of a program that begin like a key are none.
func TestNamesLikeKeys(t *testing.T) {
	s := testScanner(t)
	for _, text := range []string{
		"rk_live_subscriptions.map(x)", "sk_test_configuration/index.ts", "sk_prod_deployments[0]", "keys/sk_live_placeholders.json", "sk-ant-api03-readme.md",
	} {
		require.Empty(t, s.Find(text, ""), text)
	}
}
