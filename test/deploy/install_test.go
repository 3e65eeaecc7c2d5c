package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"
)

// The cluster block of docs/install.md completes the shipped configuration.
func TestTheClusterBlockOfTheInstallPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "install.md"))
	require.NoError(t, err)
	block := regexp.MustCompile(`(?s)\n   cluster \{.*?\n   \}\n`).Find(page)
	require.NotEmpty(t, block)
	conf, err := os.ReadFile(shipped)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "nats.conf")
	require.NoError(t, os.WriteFile(file, append(conf, block...), 0o600))
	for name, value := range map[string]string{"SERVER_NAME": "nats-1", "LISTEN": "127.0.0.1:4222", "STORE_DIR": t.TempDir()} {
		t.Setenv("NATS_"+name, value)
	}
	for _, user := range users {
		t.Setenv(strings.ToUpper(user)+"_PASSWORD", user)
	}
	options, err := server.ProcessConfigFile(file)
	require.NoError(t, err)
	require.Equal(t, "scaffoldwatch", options.Cluster.Name)
	require.Len(t, options.Routes, 3)
}
