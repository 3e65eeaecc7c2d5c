package deployed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// composed loads the compose file as the tool does, beside secrets that are empty.
func composed(t *testing.T) *types.Project {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(folder, "nats"), os.DirFS("../../../deploy/nats")))
	compose := filepath.Join(folder, "compose")
	require.NoError(t, os.CopyFS(compose, os.DirFS("../../../deploy/compose")))
	require.NoError(t, os.MkdirAll(filepath.Join(compose, "secrets"), 0o700))
	for _, name := range []string{"passwords", "common", "admin", "ingest", "evaluator", "dispatcher", "reporter"} {
		require.NoError(t, os.WriteFile(filepath.Join(compose, "secrets", name+".env"), []byte("NAME="+name+"\n"), 0o600))
	}
	options, err := cli.NewProjectOptions([]string{filepath.Join(compose, "compose.yaml")}, cli.WithResolvedPaths(true))
	require.NoError(t, err)
	project, err := options.LoadProject(t.Context())
	require.NoError(t, err)
	return project
}

// Every container of the compose file runs without rights and says how it is; only the proxy is reached
// from outside, and none is given the signing key of another (CO-21).
func TestComposeIsHardened(t *testing.T) {
	project := composed(t)
	require.Len(t, project.Services, 9)
	for name, service := range project.Services {
		require.True(t, service.ReadOnly, name)
		require.Equal(t, []string{"ALL"}, service.CapDrop, name)
		require.Contains(t, service.SecurityOpt, "no-new-privileges:true", name)
		if strings.HasPrefix(service.Image, "scaffoldwatch") {
			require.Equal(t, "65532:65532", service.User, name)
		}
		if name != "streams" && name != "proxy" {
			require.NotNil(t, service.HealthCheck, name)
		}
		require.Equal(t, name == "proxy", len(service.Ports) > 0, name)
		for _, secret := range service.Secrets {
			require.Contains(t, project.Secrets, secret.Source, name)
			if strings.HasSuffix(secret.Source, ".seed") {
				require.Equal(t, name+".seed", secret.Source)
			}
		}
	}
	require.True(t, bool(project.Networks["broker"].Internal), "the broker is not reached from outside")
	for name, file := range project.Configs {
		require.FileExists(t, file.File, name)
	}
}

// The broker of the compose file, of the chart and of the tests is one version.
func TestOneVersionOfTheBroker(t *testing.T) {
	modules, err := os.ReadFile("../../../go.mod")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(modules), "github.com/nats-io/nats-server/v2 v")
	version, _, _ := strings.Cut(rest, "\n")
	require.Equal(t, "nats:"+version+"-alpine", composed(t).Services["nats-1"].Image)
	require.Equal(t, "nats:"+version+"-alpine", rendered(t, "").pods["scaffoldwatch-nats"].Containers[0].Image)
}
