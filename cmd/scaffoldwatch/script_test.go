package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// TestMain lets the scripts run this very binary as scaffoldwatch. They wait for
// other processes most of the time, so more of them run at once than there are cores.
func TestMain(m *testing.M) {
	testing.Init()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"scaffoldwatch": main})
}

// TestScripts runs the command lines of testdata/script. Each has the sample
// fleet in fleet/, one CloudEvents log per session, and a free port in $PORT;
// $OPERATOR is the operator's credential of the systems that it starts.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"), RequireExplicitExec: true, RequireUniqueNames: true,
		Condition: func(name string) (bool, error) {
			if name != "hangup" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return !signal.Ignored(syscall.SIGHUP), nil // as under nohup
		},
		Setup: func(env *testscript.Env) error {
			free, err := natstest.Free(2)
			if err != nil {
				return err
			}
			for i, name := range []string{"PORT", "HTTP_PORT"} {
				_, port, err := net.SplitHostPort(free[i])
				if err != nil {
					return err
				}
				env.Setenv(name, port)
			}
			env.Setenv("SCAFFOLDWATCH_TEST_FAST", "1")
			env.Setenv("SCAFFOLDWATCH_HOOKS_TOKENS", filepath.Join(env.WorkDir, "tokens"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("KEYS", filepath.Join(env.WorkDir, "config", "scaffoldwatch", "credentials"))
			env.Setenv("OPERATOR", filepath.Join(env.WorkDir, "config", "scaffoldwatch", "credentials", "operator.nk"))
			return writeFleet(filepath.Join(env.WorkDir, "fleet"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "listening": listening, "binary": binary,
		},
	})
}

// exits runs a command and wants its exit code: exits 2 scaffoldwatch scan. With
// ! before it, any other code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE command …")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		code = exit.ExitCode()
	}
	if (fmt.Sprint(code) == args[0]) == neg {
		ts.Fatalf("exit code %d, want %s (negated: %v)", code, args[0], neg)
	}
}

// listening waits until something listens on a port of 127.0.0.1.
func listening(ts *testscript.TestScript, _ bool, args []string) {
	for range 30_000 {
		conn, err := net.Dial("tcp", "127.0.0.1:"+args[0])
		if err == nil {
			ts.Check(conn.Close())
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("nothing listens on port %s", args[0])
}

// binary writes a file of bytes that are no text.
func binary(ts *testscript.TestScript, _ bool, args []string) {
	data := make([]byte, 4096)
	for i := range data {
		data[i] = byte(i * 7)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// writeFleet writes the sample fleet; its secret exists at run time only.
func writeFleet(folder string) error {
	fleet, err := demo.Sessions(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, session := range fleet {
		var text []byte
		for _, e := range session {
			line, err := events.MarshalStructured(e)
			if err != nil {
				return err
			}
			text = append(append(text, line...), '\n')
		}
		if err := os.WriteFile(filepath.Join(folder, session[0].Subject+".jsonl"), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// TestEveryCommandHasAScript keeps help.txtar complete.
func TestEveryCommandHasAScript(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "script", "help.txtar"))
	require.NoError(t, err)
	parser, err := newParser(&commands{})
	require.NoError(t, err)
	var names []string
	for _, leaf := range parser.Model.Leaves(true) {
		names = append(names, leaf.FullPath())
		require.Contains(t, string(text), "exits 0 "+leaf.FullPath()+" --help\n")
	}
	require.True(t, slices.Contains(names, "scaffoldwatch dead retry"), "%q", names)
}
