package agent

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

func hookRun(t *testing.T, c Hook, in io.Reader) (out, problems string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err = c.Run(&cli.Call{Context: t.Context(), Stdin: in, Stdout: &stdout, Stderr: &stderr})
	return stdout.String(), stderr.String(), err
}

// An agent that leaves the standard input open is not held up.
func TestHookDoesNotWaitForItsInput(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	out, _, err := hookRun(t, Hook{Agent: "codex", URL: "http://127.0.0.1:1", Timeout: time.Millisecond}, in)
	require.ErrorContains(t, err, "standard input did not end")
	require.Empty(t, out)
}

// What is printed for people holds neither a password nor what steers a terminal (SW-7).
func TestHookPrintsNothingHostile(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no \x1b[2Jway", http.StatusTeapot)
	}))
	defer server.Close()
	password := fmt.Sprint("pass", "word-", 71)
	with := func(address string) string { return strings.Replace(address, "://", "://ann:"+password+"@", 1) }
	for _, address := range []string{with(server.URL), with("ftp://host"), with("http://ho st"), with("http://127.0.0.1:port")} {
		_, problems, err := hookRun(t, Hook{Agent: "codex", URL: address, Timeout: time.Minute}, strings.NewReader("{}"))
		said := problems + fmt.Sprint(err)
		require.NotContains(t, said, password, address)
		require.NotContains(t, said, "\x1b")
	}
}
