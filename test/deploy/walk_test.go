package deploy

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// walkPatience is how long one step of the walk may take on a busy machine.
const walkPatience = 3 * time.Minute

// walk is an installation by docs/install.md: its files, its programs and its services.
type walk struct {
	t       *testing.T
	page    page
	root    string // instead of /
	bin     string
	pages   map[string]string // what the page names, by what it is here
	watch   string            // host:port that agents call
	notices chan string
}

// TestInstallIsWalked follows docs/install.md from three empty servers to five agents of another user on
// another address, running exactly what the page and the units say.
func TestInstallIsWalked(t *testing.T) {
	if testing.Short() {
		t.Skip("builds all programs and starts three servers")
	}
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.2 is an address of this machine on Linux alone")
	}
	c := certify(t)
	servers, clients, _ := fleet(t, c)
	for _, ns := range servers {
		require.True(t, ns.ReadyForConnections(2*time.Minute))
	}
	w := newWalk(t, c, clients)
	w.keys()
	w.services()
	w.agents()
	w.checked()
}

func newWalk(t *testing.T, c *certificates, clients []string) *walk {
	t.Helper()
	root, err := os.MkdirTemp("", "scaffoldwatch-walk-") // t.TempDir has a parent that no other user may enter
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(root)) })
	require.NoError(t, os.Chmod(root, 0o755)) //nolint:gosec // the agents' user reads below it
	w := &walk{t: t, page: installPage(t), root: root, notices: make(chan string, 100)}
	w.bin = filepath.Join(w.root, "bin")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "gore2regex", "-o", w.bin+"/", "./cmd/...")
	build.Dir = filepath.Join("..", "..")
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.notices <- string(body)
	}))
	t.Cleanup(hook.Close)
	w.watch = strings.Replace(natstest.FreeAddresses(t, 1)[0], "127.0.0.1", "127.0.0.2", 1)
	w.pages = map[string]string{
		"nats://nats-1:4222,nats://nats-2:4222,nats://nats-3:4222": "nats://" + strings.Join(clients, ",nats://"),
		"/etc/scaffoldwatch/": w.path("etc") + "/",
		"0.0.0.0:8420":        w.watch, "watch.example:8420": w.watch,
		"OPS_URL=…": "OPS_URL=" + hook.URL, "OPS_SECRET=whsec_…": "OPS_SECRET=whsec_" + strings.Repeat("QUJD", 8),
		"HTTP_TOKEN=…": "HTTP_TOKEN=" + strings.Repeat("t", 20),
	}
	for from, to := range map[string]string{c.authority: "nats-ca.pem", c.server: "http.pem", c.serverKey: "http.key"} {
		data, err := os.ReadFile(from)
		require.NoError(t, err)
		w.write("etc/"+to, string(data))
	}
	return w
}

func (w *walk) path(name string) string { return filepath.Join(w.root, name) }

func (w *walk) write(name, text string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755)) //nolint:gosec // as /etc is
	require.NoError(w.t, os.WriteFile(w.path(name), []byte(text), 0o600))
}

// here returns a text of the page with the names and addresses of the test.
func (w *walk) here(text string) string {
	for name, is := range w.pages {
		text = strings.ReplaceAll(text, name, is)
	}
	return text
}

// run runs a statement of the page, as a user of the broker.
func (w *walk) run(user, statement string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), walkPatience)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-ec", w.here(statement))
	command.Dir = w.root
	command.Env = []string{"PATH=" + w.bin + ":" + os.Getenv("PATH"), "HOME=" + w.path("home"), "SCAFFOLDWATCH_NATS_USER=" + user, "SCAFFOLDWATCH_NATS_PASSWORD=" + user}
	out, err := command.CombinedOutput()
	return string(out), err
}

// keys creates the keys and writes the configuration that names them.
func (w *walk) keys() {
	w.t.Helper()
	out, err := w.run("admin", w.page.with(w.t, "scaffoldwatch keys new"))
	require.NoError(w.t, err, out)
	yaml := w.page.with(w.t, "trusted_keys:")
	for line := range strings.Lines(out) {
		service, key, _ := strings.Cut(strings.TrimSpace(line), "=")
		yaml = strings.Replace(yaml, service+"=A…", service+"="+key, 1)
	}
	require.NotContains(w.t, yaml, "…")
	w.write("etc/scaffoldwatch.yaml", w.here(yaml))
	statement := regexp.MustCompile(`scaffoldwatch --config .*streams init`).FindString(w.page.with(w.t, "streams init"))
	require.Eventually(w.t, func() bool { // a leader of the cluster is elected first
		out, err = w.run("admin", statement)
		return err == nil
	}, walkPatience, time.Second, "streams init")
}

// services starts what the units say.
func (w *walk) services() {
	w.t.Helper()
	w.write("etc/notify.yaml", w.here(w.page.with(w.t, "channels:")))
	free := natstest.FreeAddresses(w.t, 3)
	for i, name := range []string{"evaluator", "dispatcher", "reporter", "ingest"} {
		file := "SCAFFOLDWATCH_NATS_USER=" + name + "\nSCAFFOLDWATCH_NATS_PASSWORD=…\n"
		if name == "ingest" || name == "reporter" {
			file = w.page.with(w.t, "# /etc/scaffoldwatch/"+name+".env")
		}
		file = strings.Replace(w.here(file), "PASSWORD=…", "PASSWORD="+name, 1)
		require.NotContains(w.t, file, "=…")
		if name != "ingest" {
			file += "SCAFFOLDWATCH_HTTP_ADDRESS=" + free[i] + "\n" // others may have the usual ports here
		}
		w.write("etc/"+name+".env", file)
		w.start(name)
	}
	out, err := w.run("", w.withoutGroup(w.page.with(w.t, "/dev/urandom")))
	require.NoError(w.t, err, out)
	require.Eventually(w.t, func() bool { return w.ready() == http.StatusOK }, walkPatience, 100*time.Millisecond, "ingest is ready")
}

// withoutGroup leaves out what only the administrator of a machine may do: ingest runs as the user
// of the test.
func (w *walk) withoutGroup(statements string) string {
	for _, line := range []string{`(?m)^groupadd.*$`, `(?m)^chgrp.*$`, ` -g scaffoldwatch`} {
		require.Regexp(w.t, line, statements)
		statements = regexp.MustCompile(line).ReplaceAllString(statements, "")
	}
	return statements
}

// start starts a service as its unit does.
func (w *walk) start(name string) {
	w.t.Helper()
	u := readUnit(w.t, name)
	credentials := w.path("credentials/" + name)
	require.NoError(w.t, os.MkdirAll(credentials, 0o700))
	for id, path := range u.credentials {
		data, err := os.ReadFile(w.here(path))
		require.NoError(w.t, err)
		require.NoError(w.t, os.WriteFile(filepath.Join(credentials, id), data, 0o400))
	}
	environment := []string{"PATH=" + os.Getenv("PATH")}
	for _, entry := range u.environment {
		environment = append(environment, w.here(strings.NewReplacer("%d", credentials, "%S", w.path("state")).Replace(entry)))
	}
	for _, file := range u.files {
		text, err := os.ReadFile(w.here(file))
		require.NoError(w.t, err)
		environment = append(environment, variables(string(text))...)
	}
	require.NoError(w.t, os.MkdirAll(w.path("state/scaffoldwatch"), 0o700))
	command := exec.Command(filepath.Join(w.bin, filepath.Base(u.command[0])), strings.Fields(w.here(strings.Join(u.command[1:], " ")))...)
	command.Env, command.Dir = environment, "/"
	var log bytes.Buffer
	command.Stderr = &log
	require.NoError(w.t, command.Start())
	w.t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		err := command.Wait()
		if w.t.Failed() || err != nil {
			w.t.Logf("%s: %v\n%s", name, err, log.String())
		}
	})
}

func (w *walk) ready() int {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // agents check it, below
	answer, err := client.Get("https://" + w.watch + "/readyz")
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// agents connects five agents and lets them work.
func (w *walk) agents() {
	w.t.Helper()
	secret := secretstest.New(13).Provider("github")
	var all sync.WaitGroup
	for i, kind := range []string{"claude-code", "codex", "copilot", "gemini", "cursor"} {
		a := w.agent(kind, fmt.Sprintf("walk-%d", i))
		all.Go(func() { a.works(secret) })
	}
	all.Wait()
	select {
	case notice := <-w.notices:
		require.Contains(w.t, notice, "walk-")
		require.NotContains(w.t, notice, secret)
	case <-time.After(walkPatience):
		w.t.Error("nobody was notified of a credential in a file")
	}
}

// checked reads the record as the auditor.
func (w *walk) checked() {
	w.t.Helper()
	settings := "scaffoldwatch --config /etc/scaffoldwatch/scaffoldwatch.yaml "
	require.Eventually(w.t, func() bool {
		out, _ := w.run("auditor", settings+"sessions")
		return strings.Count(out, "walk-") == 5
	}, walkPatience, time.Second, "five sessions are listed")
	out, err := w.run("auditor", settings+"verify")
	require.NoError(w.t, err, out)
	require.Regexp(w.t, `(?m)^verified: `, out)
	require.NotContains(w.t, out, "not authentic")
	require.Eventually(w.t, func() bool { out, err = w.run("admin", settings+"doctor --audit"); return err == nil }, walkPatience, time.Second, "doctor")
	require.NotContains(w.t, out, "WARN")
	require.FileExists(w.t, w.path("state/scaffoldwatch/reports.db"))
	require.FileExists(w.t, w.path("state/scaffoldwatch/notify.json"))
	var state map[string]any
	data, err := os.ReadFile(w.path("state/scaffoldwatch/notify.json"))
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(data, &state))
}
