package redact

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func redactor(t testing.TB) *Redactor {
	t.Helper()
	config, err := secrets.LoadConfig(rules.Default())
	require.NoError(t, err)
	scanner, err := secrets.New(config, []byte(fingerprint.ScanKey))
	require.NoError(t, err)
	return New(scanner, config.PathKeys)
}

// encode is the JSON of a turn without HTML escapes.
func encode(t require.TestingT, v any) string {
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

// requireGone fails when eight or more characters of the secret stand in text.
func requireGone(t require.TestingT, text, secret string) {
	for _, line := range strings.Split(secret, "\n") {
		for i := 0; i+8 <= len(line); i++ {
			if strings.HasPrefix(line[i:], "-----") || strings.Contains(line[i:i+8], "PRIV") || strings.Contains(line[i:i+8], "KEY") {
				continue
			}
			if strings.Contains(text, line[i:i+8]) {
				require.Failf(t, "secret survives", "characters %d–%d of a secret of %d in %s", i, i+8, len(secret), text)
			}
		}
	}
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestTurnRedactsEveryField(t *testing.T) {
	r := redactor(t)
	g := secretstest.New(1)
	key := g.Provider("github")
	for name, turn := range map[string]sessionevents.Turn{
		"text":        {Text: "use " + key + " now"},
		"text block":  {Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: "use " + key}}},
		"thinking":    {Blocks: []sessionevents.Block{{Type: sessionevents.BlockThinking, Text: key}}},
		"user":        {Blocks: []sessionevents.Block{{Type: sessionevents.BlockUser, Text: "token: " + key}}},
		"input":       {Blocks: []sessionevents.Block{{Type: sessionevents.BlockToolCall, Input: raw(map[string]any{"a": []any{1, map[string]any{"b": key}}})}}},
		"input key":   {Blocks: []sessionevents.Block{{Type: sessionevents.BlockToolCall, Input: raw(map[string]any{key: 1})}}},
		"output":      {Blocks: []sessionevents.Block{{Type: sessionevents.BlockToolResult, Output: "x=" + key}}},
		"native":      {Native: raw(map[string]any{"message": map[string]any{"content": key}})},
		"patch":       {Blocks: []sessionevents.Block{{Type: sessionevents.BlockToolResult, Patch: []sessionevents.FilePatch{{Path: "a.py", Hunks: []sessionevents.Hunk{{Lines: []string{" a", "+key = '" + key + "'"}}}}}}}},
		"name":        {Blocks: []sessionevents.Block{{Type: sessionevents.BlockToolCall, Name: key}}},
		"stop reason": {StopReason: key},
	} {
		t.Run(name, func(t *testing.T) {
			before := encode(t, turn)
			clean, found := r.Turn(turn)
			requireGone(t, encode(t, clean), key)
			require.Len(t, found, 1)
			require.Equal(t, "github-pat", found[0].Rule)
			require.Equal(t, sessionevents.SecretProvider, found[0].Tier)
			require.Equal(t, -1, found[0].Segment)
			require.Equal(t, before, encode(t, turn), "the input was changed")
			again, none := r.Turn(clean)
			require.Empty(t, none)
			require.Equal(t, encode(t, clean), encode(t, again))
		})
	}
}

func TestKeyContext(t *testing.T) {
	r := redactor(t)
	clean, found := r.JSON(json.RawMessage(`{"user":"ann","password":"` + "hunter2" + "hunter2" + `","n":1.50,"x":{"y":null}}`))
	require.Equal(t, `{"user":"ann","password":"`+secrets.Marker("named-literal", found[0].Fingerprint)+`","n":1.50,"x":{"y":null}}`, string(clean))
	require.Equal(t, "password", found[0].Variable)
}

func TestSecretCutByBlockBorders(t *testing.T) {
	r := redactor(t)
	key := secretstest.New(2).Provider("stripe")
	block := secretstest.New(3).PrivateKey(24)
	for _, kind := range []sessionevents.BlockType{sessionevents.BlockText, sessionevents.BlockToolResult} {
		for _, secret := range []string{key, block} {
			for _, cuts := range [][]int{{len(secret) / 2}, {9, len(secret) - 9}, {12, 20, 30}} {
				turn := sessionevents.Turn{Blocks: pieces(kind, "see "+secret+" end", cuts)}
				clean, found := r.Turn(turn)
				requireGone(t, encode(t, clean), secret)
				require.Len(t, found, len(cuts)+1, "each part is marked")
			}
		}
	}
}

func pieces(kind sessionevents.BlockType, text string, cuts []int) []sessionevents.Block {
	var blocks []sessionevents.Block
	from := 0
	for _, at := range append(cuts, len(text)-4) {
		b := sessionevents.Block{Type: kind}
		if kind == sessionevents.BlockToolResult {
			b.Output = text[from : at+4]
		} else {
			b.Text = text[from : at+4]
		}
		blocks, from = append(blocks, b), at+4
	}
	return blocks
}

func TestSecretCutByJSONStrings(t *testing.T) {
	r := redactor(t)
	key := secretstest.New(4).Provider("github")
	turn := sessionevents.Turn{Native: raw(map[string]any{"content": []any{
		map[string]any{"text": "it is " + key[:11], "type": "text"}, map[string]any{"text": key[11:], "type": "text"},
	}})}
	clean, found := r.Turn(turn)
	requireGone(t, encode(t, clean), key)
	require.Len(t, found, 2)
}

func TestNestedJSONAndEchoes(t *testing.T) {
	r := redactor(t)
	g := secretstest.New(5)
	password, key := g.Random(32), g.PrivateKey(8)
	inner := string(raw(map[string]any{"password": password, "nested": string(raw(map[string]any{"private": key}))}))
	turn := sessionevents.Turn{Blocks: []sessionevents.Block{
		{Type: sessionevents.BlockToolCall, ID: "1", Input: raw(map[string]any{"command": "cat > c.json <<'X'\n" + inner + "\nX"})},
		{Type: sessionevents.BlockToolResult, ID: "1", Output: "wrote " + password + "\n" + key},
		{Type: sessionevents.BlockText, Text: "I wrote " + password + "."},
	}}
	clean, found := r.Turn(turn)
	requireGone(t, encode(t, clean), password)
	requireGone(t, encode(t, clean), key)
	require.GreaterOrEqual(t, len(found), 5)
}

func TestPathOfInputDecidesTestFile(t *testing.T) {
	r := redactor(t)
	key := secretstest.New(6).Provider("github")
	turn := sessionevents.Turn{Blocks: []sessionevents.Block{{Type: sessionevents.BlockToolCall, Input: raw(map[string]any{"content": key, "file_path": "pkg/a_test.go"})}}}
	_, found := r.Turn(turn)
	require.True(t, found[0].TestFile)
	require.Equal(t, "pkg/a_test.go", found[0].Path)
}

func TestLinesStay(t *testing.T) {
	r := redactor(t)
	key := secretstest.New(7).PrivateKey(5)
	text := "a\n" + key + "\nlast"
	clean, _ := r.Text(text, "k.pem")
	require.Equal(t, strings.Count(text, "\n"), strings.Count(clean, "\n"))
	require.True(t, strings.HasSuffix(clean, "\nlast"))
}

func TestMessage(t *testing.T) {
	r := redactor(t)
	key := secretstest.New(8).Provider("aws")
	require.Empty(t, r.Message(nil))
	require.NotContains(t, r.Message(fmt.Errorf("publish: %w", errors.New("bad "+key))), key)
}

func TestAnyEvent(t *testing.T) {
	r := redactor(t)
	key := secretstest.New(9).Provider("gitlab")
	raw := json.RawMessage(encode(t, &sessionevents.SessionOpened{Session: "s", Task: "deploy with " + key, Constraints: []string{"keep"}}))
	clean, found := r.JSON(raw)
	require.Len(t, found, 1)
	require.NotContains(t, string(clean), key)
	var opened sessionevents.SessionOpened
	require.NoError(t, json.Unmarshal(clean, &opened))
	require.Equal(t, []string{"keep"}, opened.Constraints)
	same, found := r.JSON(clean)
	require.Empty(t, found)
	require.Equal(t, string(clean), string(same))
}

// plant puts a secret into a random place of a random turn.
func plant(random *rand.Rand, g *secretstest.Generator) (sessionevents.Turn, string) {
	kinds := secretstest.Kinds()
	var secret, text string
	switch n := random.IntN(len(kinds) + 3); {
	case n < len(kinds):
		secret = g.Provider(kinds[n])
		text = []string{"export KEY=%s", "const k = \"%s\";", "see %s for it", "%s", "{\"a\":\"%s\"}"}[random.IntN(5)]
	case n == len(kinds):
		secret, text = g.PrivateKey(4+random.IntN(20)), "key:\n%s\n"
	case n == len(kinds)+1:
		secret, text = g.Random(20+random.IntN(30)), []string{"password = \"%s\"", "API_TOKEN: '%s'", "postgres://app:%s@db/x"}[random.IntN(3)]
	default:
		secret, text = g.Password(), "db_password = \"%s\""
	}
	text = filler(random) + fmt.Sprintf(text, secret) + "\n" + filler(random)
	return turnWith(random, text), secret
}

func filler(random *rand.Rand) string {
	words := []string{"the", "token", "is", "read\n", "func(x)", "{", "}\n", "= 5", "\"a\"", ":", "key", "https://a.b/c", "\\n", "é"}
	var b strings.Builder
	for range random.IntN(40) {
		b.WriteString(words[random.IntN(len(words))] + " ")
	}
	return b.String() + "\n"
}

func turnWith(random *rand.Rand, text string) sessionevents.Turn {
	var blocks []sessionevents.Block
	for range random.IntN(3) {
		blocks = append(blocks, sessionevents.Block{Type: sessionevents.BlockText, Text: filler(random)})
	}
	switch random.IntN(7) {
	case 0:
		blocks = append(blocks, sessionevents.Block{Type: sessionevents.BlockText, Text: text})
	case 1:
		cut := random.IntN(len(text))
		blocks = append(blocks, sessionevents.Block{Type: sessionevents.BlockText, Text: text[:cut]}, sessionevents.Block{Type: sessionevents.BlockText, Text: text[cut:]})
	case 2:
		blocks = append(blocks, sessionevents.Block{Type: sessionevents.BlockToolResult, Output: text})
	case 3:
		blocks = append(blocks, sessionevents.Block{Type: sessionevents.BlockToolCall, Input: raw(map[string]any{"content": text, "path": "a/b.py"})})
	case 4:
		nested := string(raw(map[string]any{"doc": text}))
		blocks = append(blocks, sessionevents.Block{Type: sessionevents.BlockToolCall, Input: raw(map[string]any{"command": "echo '" + nested + "'"})})
	case 5:
		return sessionevents.Turn{Native: raw([]any{map[string]any{"x": text}}), Blocks: blocks}
	default:
		return sessionevents.Turn{Text: text, Blocks: blocks}
	}
	return sessionevents.Turn{Blocks: blocks}
}

// SW-7: no eight characters of a planted secret survive, and redaction is idempotent.
func TestNothingSurvives(t *testing.T) {
	r := redactor(t)
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		random := rand.New(rand.NewPCG(seed, 1))
		turn, secret := plant(random, secretstest.New(seed))
		clean, found := r.Turn(turn)
		require.NotEmpty(t, found)
		requireGone(t, encode(t, clean), secret)
		again, _ := r.Turn(clean)
		require.Equal(t, encode(t, clean), encode(t, again))
	})
}

func FuzzJSON(f *testing.F) {
	r := redactor(f)
	g := secretstest.New(10)
	f.Add([]byte(`{"password":"` + g.Random(24) + `","a":[1,{"b":"\u00e9\n"}]}`))
	f.Add([]byte(`{"a":"` + g.Provider("aws") + `\"`))
	f.Add([]byte(`"`))
	for _, key := range []string{"`\"\x80\"" + g.Provider("aws"), g.Provider("aws")} {
		f.Add([]byte(`{"` + key + `":"` + g.Random(16) + `"`)) // the marker of a name is no name
		f.Add([]byte(`{"` + key + `":"` + g.Random(16) + `"}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		clean, found := r.JSON(data)
		if json.Valid(data) {
			require.True(t, json.Valid(clean), "%s became %s", data, clean)
		}
		if len(found) == 0 {
			require.Equal(t, string(data), string(clean))
		}
		again, _ := r.JSON(clean)
		require.Equal(t, string(clean), string(again))
	})
}

func FuzzText(f *testing.F) {
	r := redactor(f)
	g := secretstest.New(11)
	f.Add("password = '" + g.Random(20) + "'")
	f.Add("a://b:" + g.Password() + "@c token=" + g.Provider("github"))
	f.Add(g.PrivateKey(3))
	f.Fuzz(func(t *testing.T, text string) {
		clean, _ := r.Text(text, "")
		again, found := r.Text(clean, "")
		require.Equal(t, clean, again)
		require.Empty(t, found)
	})
}

// Hostile input: thousands of secrets in one turn cost no more than their number.
func TestManySecrets(t *testing.T) {
	r := redactor(t)
	g := secretstest.New(12)
	var b strings.Builder
	var values []string
	for range 2000 {
		v := g.Provider("github")
		values = append(values, v)
		b.WriteString("k = '" + v + "'\n")
	}
	clean, found := r.Turn(sessionevents.Turn{Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: b.String()}, {Type: sessionevents.BlockToolResult, Output: strings.Join(values, "")}}})
	require.GreaterOrEqual(t, len(found), 4000)
	text := encode(t, clean)
	for _, v := range values {
		require.NotContains(t, text, v)
	}
}

// BenchmarkTurn redacts a turn of 18 KB without a secret, the common case.
func BenchmarkTurn(b *testing.B) {
	r := redactor(b)
	g := secretstest.New(13)
	turn := sessionevents.Turn{Blocks: []sessionevents.Block{
		{Type: sessionevents.BlockText, Text: g.Text(2 << 10)},
		{Type: sessionevents.BlockToolCall, ID: "1", Name: "Write", Input: raw(map[string]any{"file_path": "a.go", "content": g.Text(4 << 10)})},
		{Type: sessionevents.BlockToolResult, ID: "1", Output: g.Text(12 << 10)},
	}}
	b.SetBytes(18 << 10)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		r.Turn(turn)
	}
}
