package models

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
)

// provider is a server on this machine that speaks both APIs.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	keys   []string
	answer func(w http.ResponseWriter, anthropic bool)
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		p.bodies = append(p.bodies, string(body))
		p.keys = append(p.keys, r.Header.Get("X-Api-Key")+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		p.mu.Unlock()
		p.answer(w, strings.HasSuffix(r.URL.Path, "/messages"))
	}))
	t.Cleanup(p.Close)
	return p
}

// completed returns a whole answer in the form of each API.
func completed(text, stop string) func(http.ResponseWriter, bool) {
	return func(w http.ResponseWriter, anthropic bool) {
		w.Header().Set("Content-Type", "application/json")
		var body any = map[string]any{
			"id": "c", "object": "chat.completion", "model": "m-1", "choices": []any{map[string]any{"index": 0, "finish_reason": map[string]string{"end_turn": "stop", "max_tokens": "length", "refusal": "content_filter"}[stop], "message": map[string]any{"role": "assistant", "content": text}}},
			"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": map[string]any{"cached_tokens": 60}},
		}
		if anthropic {
			body = map[string]any{
				"id": "m", "type": "message", "role": "assistant", "model": "m-1", "stop_reason": stop, "content": []any{map[string]any{"type": "text", "text": text}},
				"usage": map[string]any{"input_tokens": 40, "output_tokens": 20, "cache_read_input_tokens": 60},
			}
		}
		_ = json.NewEncoder(w).Encode(body)
	}
}

func status(code int, body string) func(http.ResponseWriter, bool) {
	return func(w http.ResponseWriter, _ bool) {
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// key is made when the test runs, so that no key is in the repository.
func key() string { return strings.Join([]string{"sk", "test", strings.Repeat("x9", 12)}, "-") }

func each(t *testing.T, test func(t *testing.T, p *provider, m model.Model)) {
	for _, name := range []string{config.AdvisorAnthropic, config.AdvisorOpenAI} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			t.Setenv("ADVISOR_TEST_KEY", key())
			// What the clients would take from the environment must not count.
			t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
			t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
			t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
			m, err := Open(config.Advisor{Provider: name, Model: "m", BaseURL: p.URL + "/", Key: "$ADVISOR_TEST_KEY", Timeout: 5 * time.Second})
			require.NoError(t, err)
			test(t, p, m)
		})
	}
}

var prompt = model.Prompt{ID: "q-1", System: "You review.", User: "=== RECORD\nx\n=== END OF RECORD", Schema: map[string]any{"type": "object"}, MaxTokens: 300}

// AD-6: both clients send the question to the configured address, with a bound and a schema, and read the answer.
func TestProviders(t *testing.T) {
	each(t, func(t *testing.T, p *provider, m model.Model) {
		p.answer = completed(`{"verdict":"unsure"}`, "end_turn")
		reply, err := m.Ask(context.Background(), prompt)
		require.NoError(t, err)
		require.Equal(t, model.Reply{Text: `{"verdict":"unsure"}`, Model: "m-1", In: 100, Out: 20, Cached: 60}, reply)
		require.Len(t, p.bodies, 1)
		require.Contains(t, p.bodies[0], "You review.")
		require.Contains(t, p.bodies[0], "END OF RECORD")
		require.Contains(t, p.bodies[0], `"schema":{"type":"object"}`)
		require.Contains(t, p.bodies[0], "300")
		require.NotContains(t, p.bodies[0], `"stream":true`)
		require.Equal(t, key(), p.keys[0])
		if strings.HasSuffix(t.Name(), config.AdvisorAnthropic) { // the others keep what they know without being asked
			require.Contains(t, p.bodies[0], `"cache_control":{"type":"ephemeral"}`)
		}
	})
}

// AD-6: a failure is said without key and question, asked once, and never taken for an answer.
func TestFailuresOfProviders(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, bool){
		"too many requests": status(429, `{"error":{"type":"rate_limit_error","message":"slow down, key `+key()+`"}}`), "server error": status(500, "oops"), "no such model": status(404, "{}"),
		"cut JSON": status(200, `{"id":"m","content":[{"type":"te`), "no JSON": status(200, "<html>"), "empty": status(200, ""),
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, p *provider, m model.Model) {
				p.answer = answer
				_, err := m.Ask(context.Background(), prompt)
				require.Error(t, err)
				require.NotContains(t, err.Error(), key())
				require.NotContains(t, err.Error(), "END OF RECORD")
				require.Len(t, p.bodies, 1, "asked once: a retry would cost again")
			})
		})
	}
	each(t, func(t *testing.T, p *provider, m model.Model) {
		p.answer = completed("I will not.", "refusal")
		_, err := m.Ask(context.Background(), prompt)
		require.ErrorIs(t, err, model.ErrRefused)
		p.answer = completed(`{"verdict":`, "max_tokens")
		reply, err := m.Ask(context.Background(), prompt)
		require.ErrorIs(t, err, model.ErrCut)
		require.Equal(t, 20, reply.Out, "what was paid for counts")
	})
}

// Nothing is sent to an address that is not configured: a redirect is an error, and so is a flood.
func TestNothingGoesElsewhere(t *testing.T) {
	each(t, func(t *testing.T, p *provider, m model.Model) {
		elsewhere := 0
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
		defer other.Close()
		p.answer = func(w http.ResponseWriter, _ bool) {
			w.Header().Set("Location", other.URL+"/v1/messages")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
		_, err := m.Ask(context.Background(), prompt)
		require.Error(t, err)
		require.Zero(t, elsewhere)

		p.answer = func(w http.ResponseWriter, anthropic bool) {
			completed(strings.Repeat("x", 2<<20), "end_turn")(w, anthropic)
		}
		_, err = m.Ask(context.Background(), prompt)
		require.Error(t, err, "an answer has a limit")

		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		held := make(chan struct{})
		defer close(held)
		p.answer = func(http.ResponseWriter, bool) { <-held }
		_, err = m.Ask(ctx, prompt)
		require.Error(t, err, "a time limit")
	})
}

// AD-6: the key comes from the environment or from an absolute path, never from the folder at hand.
func TestKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("key", []byte(key()), 0o600))
	settings := config.Advisor{Provider: config.AdvisorOpenAI, Model: "m", Timeout: time.Second, BaseURL: "http://127.0.0.1:1/"}
	settings.Key = "key"
	_, err := Open(settings)
	require.ErrorContains(t, err, "absolute path")
	settings.Key = "$ADVISOR_TEST_UNSET"
	_, err = Open(settings)
	require.ErrorContains(t, err, "is empty")
	settings.Key, err = filepath.Abs("key")
	require.NoError(t, err)
	_, err = Open(settings)
	require.NoError(t, err)
	settings.BaseURL = "http://user:word@127.0.0.1/"
	_, err = Open(settings)
	require.ErrorContains(t, err, "must not contain user")
}

func TestCommand(t *testing.T) { // AD-6: exec: COMMAND
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell script")
	}
	script := filepath.Join(t.TempDir(), "answer")
	write := func(body string) model.Model {
		require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"+body), 0o700))
		m, err := Open(config.Advisor{Provider: config.AdvisorExec + " " + script})
		require.NoError(t, err)
		return m
	}
	reply, err := write(`grep -c "END OF RECORD"; echo '{}'`).Ask(context.Background(), prompt)
	require.NoError(t, err)
	require.Equal(t, "1\n{}\n", reply.Text)
	require.Positive(t, reply.In)
	_, err = write("exit 3").Ask(context.Background(), prompt)
	require.ErrorContains(t, err, "exit status 3")
	_, err = write("cat >/dev/null").Ask(context.Background(), prompt)
	require.ErrorContains(t, err, "printed nothing")
	_, err = write("head -c 3000000 /dev/zero").Ask(context.Background(), prompt)
	require.ErrorContains(t, err, "printed more than")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = write("exec sleep 60").Ask(ctx, prompt)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// `up` asks through the program beside it: the same question, the same answer, no key on the command line.
func TestRelay(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := filepath.Join(t.TempDir(), "advisor")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "gore2regex", "-o", program, "../../../../cmd/advisor")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	p := newProvider(t)
	t.Setenv("ADVISOR_TEST_KEY", key())
	relay := model.Relay{Program: program, Settings: config.Advisor{Provider: config.AdvisorAnthropic, Model: "m", BaseURL: p.URL + "/", Key: "$ADVISOR_TEST_KEY", Timeout: 10 * time.Second}}
	p.answer = completed(`{"verdict":"unsure"}`, "end_turn")
	reply, err := relay.Ask(t.Context(), prompt)
	require.NoError(t, err)
	require.Equal(t, model.Reply{Text: `{"verdict":"unsure"}`, Model: "m-1", In: 100, Out: 20, Cached: 60}, reply)
	require.Equal(t, key(), p.keys[0])
	require.Contains(t, p.bodies[0], "END OF RECORD")
	p.answer = status(500, key())
	_, err = relay.Ask(t.Context(), prompt)
	require.ErrorContains(t, err, "status 500")
	require.NotContains(t, err.Error(), key())
	p.answer = completed("no", "refusal")
	_, err = relay.Ask(t.Context(), prompt)
	require.ErrorIs(t, err, model.ErrRefused)
	relay.Program = "/nonexistent/advisor"
	_, err = relay.Ask(t.Context(), prompt)
	require.Error(t, err)
}
