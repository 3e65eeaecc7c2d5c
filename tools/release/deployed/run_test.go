package deployed

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	core "k8s.io/api/core/v1"
)

const (
	root     = "../../.."
	patience = 3 * time.Minute
)

// The chart's pods run here as processes: three brokers, the job that makes the streams, and as many
// instances of each service as the values say. Each has the variables and the files that its pod is given,
// no others, and is ready by the chart's own probe (CO-21).
func TestChartRunsAsProcesses(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl in PATH")
	}
	c := newCluster(t)
	brokers := c.start("scaffoldwatch-nats")
	require.Len(t, brokers, 3)
	var out []byte
	require.Eventually(t, func() (done bool) {
		var err error
		out, err = c.command("streams", "scaffoldwatch-streams").CombinedOutput()
		return err == nil
	}, patience, time.Second, "streams init: %s", &out)

	ready := map[string][]string{}
	for of := range c.replicas {
		if of != "scaffoldwatch-nats" {
			ready[of] = c.start(of)
		}
	}
	require.Len(t, ready, 4)
	for of, pods := range ready {
		for _, pod := range pods {
			c.isReady(pod, of)
		}
	}
}

// cluster runs the pods of the chart on this machine.
type cluster struct {
	t *testing.T
	deployment
	folder  string                       // of the pods' files, one each
	bin     string                       // in place of an image's /usr/bin
	secrets map[string]map[string]string // by name and key, as the chart's values say to make them
	brokers map[string]string            // the address of each, by the name that others call it
	ports   map[string]string            // the address of each pod's own port, by the pod
	taken   map[string]bool              // addresses
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{
		t: t, deployment: rendered(t, ""), folder: t.TempDir(), bin: t.TempDir(),
		secrets: map[string]map[string]string{}, brokers: map[string]string{}, ports: map[string]string{}, taken: map[string]bool{},
	}
	c.run(nil, "go", "build", "-buildvcs=false", "-tags", "gore2regex", "-o", c.bin+"/", "./cmd/scaffoldwatch",
		"./cmd/ingest", "./cmd/evaluator", "./cmd/dispatcher", "./cmd/reporter")
	c.run(nil, "go", "build", "-o", filepath.Join(c.bin, "nats-server"), "github.com/nats-io/nats-server/v2")
	prepared := filepath.Join(t.TempDir(), "secrets")
	c.run([]string{
		"OUT=" + prepared, "NATS_NAMES=IP:127.0.0.1", "SCAFFOLDWATCH=" + filepath.Join(c.bin, "scaffoldwatch"),
	}, "sh", "deploy/compose/prepare.sh", "localhost")
	c.secrets["scaffoldwatch-files"] = contents(t, prepared)
	c.secrets["scaffoldwatch-environment"] = map[string]string{}
	for _, file := range []string{"passwords.env", "common.env"} {
		for line := range strings.Lines(c.secrets["scaffoldwatch-files"][file]) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			c.secrets["scaffoldwatch-environment"][key] = value
		}
	}
	for i := range 3 {
		for _, port := range []string{"4222", "6222"} {
			c.brokers[fmt.Sprintf("scaffoldwatch-nats-%d.scaffoldwatch-nats:%s", i, port)] = c.free()
		}
	}
	return c
}

// run runs a command in the root of the repository.
func (c *cluster) run(environment []string, name string, args ...string) {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), name, args...)
	command.Dir, command.Env = root, append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	require.NoError(c.t, err, "%s %s: %s", name, args, out)
}

// contents returns the files of a folder, without those in its folders.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	all := map[string]string{}
	for _, e := range entries {
		if !e.IsDir() {
			text, err := os.ReadFile(filepath.Join(folder, e.Name()))
			require.NoError(t, err)
			all[e.Name()] = string(text)
		}
	}
	return all
}

// free returns an address of this machine that nothing listens at, each once, with a port that systems do not
// hand out by themselves before the process is started.
func (c *cluster) free() string {
	c.t.Helper()
	for range 100 {
		address := fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(22_000))
		if c.taken[address] {
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		require.NoError(c.t, listener.Close())
		c.taken[address] = true
		return address
	}
	require.Fail(c.t, "no free port")
	return ""
}

// command returns the program of a pod's container, in a folder of its own that holds what is mounted.
func (c *cluster) command(pod, of string) *exec.Cmd {
	c.t.Helper()
	spec := c.pods[of]
	container := spec.Containers[0]
	own := filepath.Join(c.folder, pod)
	names := []string{"/usr/bin/", c.bin + "/"}
	for _, m := range container.VolumeMounts {
		place := filepath.Join(own, m.MountPath)
		require.NoError(c.t, os.MkdirAll(place, 0o700))
		for _, v := range spec.Volumes {
			if v.Name == m.Name {
				c.fill(place, v)
			}
		}
		names = append(names, m.MountPath, place)
	}
	for name, address := range c.brokers {
		names = append(names, name, address)
	}
	for _, p := range container.Ports {
		address := c.brokers[fmt.Sprintf("%s.scaffoldwatch-nats:%d", pod, p.ContainerPort)]
		if address == "" {
			address = c.port(pod)
		}
		names = append(names, fmt.Sprintf("0.0.0.0:%d", p.ContainerPort), address)
	}
	here := strings.NewReplacer(names...)
	args := make([]string, len(container.Command))
	for i, word := range container.Command {
		args[i] = here.Replace(word)
	}
	if !path.IsAbs(args[0]) {
		args[0] = filepath.Join(c.bin, args[0])
	}
	command := exec.Command(args[0], args[1:]...)
	command.Dir, command.Env = own, []string{"TMPDIR=" + filepath.Join(own, "tmp")}
	for _, v := range container.Env {
		command.Env = append(command.Env, v.Name+"="+here.Replace(c.value(pod, v)))
	}
	return command
}

// fill writes the files of a volume that is a secret or a configuration.
func (c *cluster) fill(place string, v core.Volume) {
	c.t.Helper()
	files := map[string]string{}
	switch {
	case v.Secret != nil:
		for _, item := range v.Secret.Items {
			text, is := c.secrets[v.Secret.SecretName][item.Key]
			require.True(c.t, is, "%s has no %s", v.Secret.SecretName, item.Key)
			files[item.Path] = text
		}
	case v.ConfigMap != nil:
		files = c.config.Data
	}
	for name, text := range files {
		file := filepath.Join(place, name)
		require.NoError(c.t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(c.t, os.WriteFile(file, []byte(text), 0o600))
	}
}

// value returns what a variable of a pod is set to.
func (c *cluster) value(pod string, v core.EnvVar) string {
	c.t.Helper()
	switch from := v.ValueFrom; {
	case from == nil:
		return v.Value
	case from.FieldRef != nil:
		require.Equal(c.t, "metadata.name", from.FieldRef.FieldPath)
		return pod
	default:
		value, is := c.secrets[from.SecretKeyRef.Name][from.SecretKeyRef.Key]
		require.True(c.t, is, "%s has no %s", from.SecretKeyRef.Name, from.SecretKeyRef.Key)
		return value
	}
}

func (c *cluster) port(pod string) string {
	if c.ports[pod] == "" {
		c.ports[pod] = c.free()
	}
	return c.ports[pod]
}

// start starts as many pods as the chart says and returns their names. They are killed when the test ends,
// and what they printed is shown if it failed.
func (c *cluster) start(of string) (pods []string) {
	c.t.Helper()
	for i := range c.replicas[of] {
		pod := fmt.Sprint(of, "-", i)
		command := c.command(pod, of)
		var out bytes.Buffer
		command.Stdout, command.Stderr = &out, &out
		require.NoError(c.t, command.Start(), pod)
		c.t.Cleanup(func() {
			_ = command.Process.Kill()
			_ = command.Wait()
			if c.t.Failed() {
				text := out.String()
				c.t.Logf("%s ended with: %s", pod, text[max(0, len(text)-2000):])
			}
		})
		pods = append(pods, pod)
	}
	return pods
}

// isReady asks as Kubernetes does: without a token, and without looking at the certificate.
func (c *cluster) isReady(pod, of string) {
	c.t.Helper()
	probe := c.pods[of].Containers[0].ReadinessProbe.HTTPGet
	url := strings.ToLower(string(probe.Scheme)) + "://" + c.port(pod) + probe.Path
	client := &http.Client{
		Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
	require.Eventually(c.t, func() bool {
		answer, err := client.Get(url)
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, patience, time.Second, "%s at %s", pod, url)
}
