package mockmodel

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

func post(t *testing.T, url, encoding string, body []byte) string {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	q.Header.Set("Content-Encoding", encoding)
	q.Close = true
	answer, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

// The first request of a conversation gets a call, the one with its result the end.
func TestWires(t *testing.T) {
	cases := map[string]struct {
		wire               Wire
		path               string
		first, second      string
		call, done, beside string // in the replies; beside is not a request of the main loop
	}{
		"anthropic": {
			Anthropic{},
			"/v1/messages?beta=true",
			`{"stream": true, "tools": [{}, {}, {}, {}], "messages": [{"content": "do it"}]}`,
			`{"stream": true, "tools": [{}, {}, {}, {}], "messages": [{"content": "do it"}, {"content": [{"type": "tool_use"}]}, {"content": [{"type": "tool_result"}]}]}`,
			`"partial_json":"{\"command\":\"ls\",\"description\":\"work\"}"`, `"stop_reason":"end_turn"`, `{"messages": [{"content": "a title"}]}`,
		},
		"openai": {
			OpenAI{},
			"/v1/responses",
			`{"tools": [{"name": "exec_command"}], "input": [{"type": "message"}]}`,
			`{"tools": [{"name": "exec_command"}], "input": [{"type": "message"}, {"type": "function_call_output"}]}`,
			`"arguments":"{\"cmd\":\"ls\"}"`, `"text":"All done."`, "",
		},
		"gemini": {
			Gemini{},
			"/v1beta/models/m:streamGenerateContent?alt=sse",
			`{"tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}], "contents": [{"parts": [{"text": "do it"}]}]}`,
			`{"tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}], "contents": [{"parts": [{"functionResponse": {}}]}]}`,
			`"functionCall":{"args":{"command":"ls"},"name":"run_shell_command"}`, `"text":"All done."`, `{"contents": []}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := Start(c.wire, Commands("ls"))
			require.NoError(t, err)
			defer s.Close()
			require.Contains(t, post(t, s.URL()+c.path, "", []byte(c.first)), c.call)
			last := post(t, s.URL()+c.path, "", []byte(c.second))
			require.Contains(t, last, c.done)
			require.NotContains(t, last, c.call)
			if c.beside != "" {
				require.Contains(t, post(t, s.URL()+c.path, "", []byte(c.beside)), `"ok"`)
			}
			requests := s.Requests()
			require.Len(t, requests, 2)
			require.Equal(t, []int{0, 1}, []int{requests[0].Results, requests[1].Results})
			require.Equal(t, c.second, requests[1].Body)
			require.Empty(t, s.Problems())
			post(t, s.URL()+c.path, "", []byte("{"))
			require.Len(t, s.Problems(), 1)
			require.NotEmpty(t, post(t, s.URL()+"/v1/other", "", []byte("{}")))
		})
	}
}

// Codex compresses its requests.
func TestCompressedRequest(t *testing.T) {
	s, err := Start(OpenAI{}, Commands())
	require.NoError(t, err)
	defer s.Close()
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer encoder.Close()
	require.Contains(t, post(t, s.URL()+"/v1/responses", "zstd", encoder.EncodeAll([]byte(`{"input": []}`), nil)), "All done.")
	post(t, s.URL()+"/v1/responses", "zstd", []byte("no zstd"))
	require.Len(t, s.Problems(), 1)
}
