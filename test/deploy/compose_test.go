package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// The compose file's processes, with its own settings and the secrets that prepare.sh makes, run here
// without containers: three servers, the streams, four services that say by --ready that they are (CO-21).
func TestComposeRunsAsProcesses(t *testing.T) {
	proofs.NeedsFull(t, "it builds the services and starts three servers")
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl in PATH")
	}
	bin, secrets := t.TempDir(), filepath.Join(t.TempDir(), "secrets")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-tags", "gore2regex", "-o", bin+"/",
		"./cmd/scaffoldwatch", "./cmd/ingest", "./cmd/evaluator", "./cmd/dispatcher", "./cmd/reporter")
	build.Dir = filepath.Join("..", "..")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	folder, err := filepath.Abs(filepath.Join("..", "..", "deploy", "compose"))
	require.NoError(t, err)
	prepare := exec.CommandContext(t.Context(), "sh", filepath.Join(folder, "prepare.sh"), "localhost")
	prepare.Env = append(os.Environ(), "OUT="+secrets, "SCAFFOLDWATCH="+filepath.Join(bin, "scaffoldwatch"),
		"NATS_NAMES=IP:127.0.0.1")
	out, err = prepare.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(filepath.Join(folder, "compose.yaml"))
	require.NoError(t, err)
	file, err := yaml.Parser().Unmarshal(text)
	require.NoError(t, err)

	c := composed{t: t, services: file["services"].(map[string]any), bin: bin, secrets: secrets, data: t.TempDir()}
	c.here()
	for _, name := range []string{"nats-1", "nats-2", "nats-3"} {
		c.broker(name)
	}
	require.Eventually(t, func() bool {
		out, err = c.command("streams", "streams", "init").CombinedOutput()
		return err == nil
	}, walkPatience, time.Second, "streams init")
	for _, name := range []string{"ingest", "evaluator", "dispatcher", "reporter"} {
		service := c.command(name)
		require.NoError(t, service.Start())
		t.Cleanup(func() { _ = service.Process.Kill(); _ = service.Wait() })
	}
	for _, name := range []string{"ingest", "evaluator", "dispatcher", "reporter"} {
		require.Eventually(t, func() bool { return c.command(name, "--ready").Run() == nil }, walkPatience, time.Second, name)
	}
}

// composed is the compose file on this machine.
type composed struct {
	t                  *testing.T
	services           map[string]any
	bin, secrets, data string
	names              *strings.Replacer // of containers, by what they are here
}

func (c *composed) here() {
	free := natstest.FreeAddresses(c.t, 10)
	names := []string{
		"/run/secrets/hooks", c.secrets, "/run/secrets/", c.secrets + "/", "/data/", c.data + "/", "/usr/bin/", c.bin + "/",
	}
	for i := range 3 {
		n := strconv.Itoa(i + 1)
		names = append(names, "nats-"+n+":4222", free[i], "nats-"+n+":6222", free[3+i])
	}
	for i, port := range []string{"8420", "8421", "8422", "8423"} {
		names = append(names, "0.0.0.0:"+port, free[6+i])
	}
	c.names = strings.NewReplacer(names...)
}

// environment returns that of a service: its files of variables, then its own.
func (c *composed) environment(name string) []string {
	c.t.Helper()
	service := c.services[name].(map[string]any)
	var list []string
	for _, one := range service["env_file"].([]any) {
		path, is := one.(string)
		if !is {
			path = one.(map[string]any)["path"].(string)
		}
		text, err := os.ReadFile(filepath.Join(c.secrets, filepath.Base(path)))
		require.NoError(c.t, err)
		list = append(list, variables(string(text))...)
	}
	for key, value := range service["environment"].(map[string]any) {
		if key == "SCAFFOLDWATCH_SECURITY_SIGNING_SEED" {
			value = "/run/secrets/" + name + ".seed"
		}
		list = append(list, key+"="+c.names.Replace(value.(string)))
	}
	return list
}

// command returns a service's program, or another call of it.
func (c *composed) command(name string, args ...string) *exec.Cmd {
	c.t.Helper()
	program := c.services[name].(map[string]any)["entrypoint"].([]any)[0].(string)
	command := exec.Command(c.names.Replace(program), args...)
	command.Env = append(c.environment(name), "HOME="+c.data, "PATH="+os.Getenv("PATH"))
	return command
}

// broker starts a server with the shipped files.
func (c *composed) broker(name string) {
	c.t.Helper()
	for _, entry := range c.environment(name) {
		key, value, _ := strings.Cut(entry, "=")
		c.t.Setenv(key, value)
	}
	c.t.Setenv("NATS_LISTEN", c.names.Replace(name+":4222"))
	c.t.Setenv("NATS_CLUSTER_LISTEN", c.names.Replace(name+":6222"))
	c.t.Setenv("NATS_STORE_DIR", filepath.Join(c.data, name))
	options, err := server.ProcessConfigFile(clustered)
	require.NoError(c.t, err)
	startServer(c.t, options)
}
