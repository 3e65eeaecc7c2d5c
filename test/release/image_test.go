package release

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// descriptor names a blob of an OCI layout.
type descriptor struct {
	Digest   string
	Platform struct{ OS, Architecture string }
}

// settings are an image's instructions for its start.
type settings struct {
	User                  string
	WorkingDir            string
	Env, Entrypoint, Cmd  []string
	Volumes, ExposedPorts map[string]struct{}
	Healthcheck           struct{ Test []string }
}

// image runs the container image from its root file system, as a container engine would: as its user, with
// only its volume writable, in namespaces of its own, and runs its own health check (CO-1).
func image(t *testing.T, out string) {
	needs(t, "unshare", "chroot", "ip", "mount")
	if os.Getuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("namespaces and chroot need root on Linux")
	}
	layout := t.TempDir()
	run(t, layout, nil, "tar", "xf", filepath.Join(out, "scaffoldwatch_"+version+"_oci.tar"))
	fs := t.TempDir()
	c := unpacked(t, layout, fs)
	require.Equal(t, "65532:65532", c.User)
	require.Equal(t, "CMD", c.Healthcheck.Test[0])
	require.Contains(t, c.Volumes, "/data")
	for _, folder := range []string{"proc", "dev"} { // engines make these
		require.NoError(t, os.Mkdir(filepath.Join(fs, folder), 0o755)) //nolint:gosec // as engines do
	}
	main := strings.Join(append(c.Entrypoint, c.Cmd...), " ")
	in := "chroot --userspec=" + c.User + " " + fs
	health := strings.Join(c.Healthcheck.Test[1:], " ")
	script := strings.NewReplacer("FS", fs, "IN", in, "MAIN", main, "HEALTH", health).Replace(`
set -e
ip link set lo up
mount --bind FS FS
mount -o remount,ro,bind FS
mount -t tmpfs -o uid=65532,gid=65532,mode=700 tmpfs FS/data
mount -t proc proc FS/proc
if IN HEALTH 2>/dev/null; then echo "healthy before it runs"; exit 1; fi
IN MAIN >FS/data/out 2>&1 &
pid=$!
for i in $(seq 100); do
	if IN HEALTH 2>/dev/null; then healthy=yes; break; fi
	sleep 0.1
done
IN /usr/bin/scaffoldwatch doctor || true
test "$healthy" = yes || { cat FS/data/out; exit 1; }
grep -E '^(Uid|CapEff|NoNewPrivs)' /proc/$pid/status
if touch FS/usr/bin/x 2>/dev/null; then echo "its root can be written to"; exit 1; fi
kill -TERM $pid
wait $pid
echo "ended well"
`)
	command := exec.CommandContext(t.Context(), "unshare", "--mount", "--net", "--ipc", "sh", "-c", script)
	command.Env = append(c.Env, "PATH="+os.Getenv("PATH"))
	text, err := command.CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.Contains(t, string(text), "ended well")
	require.Regexp(t, `Uid:\s+65532\s+65532`, string(text))
	require.Regexp(t, `CapEff:\s+0+\n`, string(text))
}

// unpacked unpacks the image of this machine and returns how it starts.
func unpacked(t *testing.T, layout, fs string) settings {
	t.Helper()
	read := func(path string, into any) {
		data, err := os.ReadFile(filepath.Join(layout, path))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, into))
	}
	blob := func(d descriptor) string { return filepath.Join("blobs", strings.Replace(d.Digest, ":", "/", 1)) }
	var top, index struct{ Manifests []descriptor }
	read("index.json", &top)
	require.Len(t, top.Manifests, 1)
	read(blob(top.Manifests[0]), &index)
	var own descriptor
	for _, d := range index.Manifests {
		if d.Platform.OS == runtime.GOOS && d.Platform.Architecture == runtime.GOARCH {
			own = d
		}
	}
	require.NotEmpty(t, own.Digest)
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	read(blob(own), &manifest)
	require.NotEmpty(t, manifest.Layers)
	for _, layer := range manifest.Layers {
		run(t, layout, nil, "tar", "xzpf", blob(layer), "-C", fs)
	}
	var config struct{ Config settings }
	read(blob(manifest.Config), &config)
	return config.Config
}
