// Package secretstest makes fake secrets for tests, from parts and at run time, so that secret
// scanners find nothing in the project's files.
package secretstest

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
)

// Alphabets of secrets.
const (
	lowerHex = "0123456789abcdef"
	upper32  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	base62   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// Generator makes fake secrets; the same seed gives the same ones.
type Generator struct{ random *rand.Rand }

// New makes a generator.
func New(seed uint64) *Generator { return &Generator{rand.New(rand.NewPCG(seed, 0x5eed))} }

// String is a random string of n characters of an alphabet.
func (g *Generator) String(alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[g.random.IntN(len(alphabet))])
	}
	return b.String()
}

// random is a string with letters of both cases and digits, so that it looks
// generated whatever the dice say.
func (g *Generator) mixed(n int) string {
	pattern := "aB3xQ9"
	s := []byte(g.String(base62, n))
	for i := 0; i < len(pattern) && 3*i < n; i++ {
		s[3*i] = pattern[i]
	}
	return string(s)
}

var kinds = map[string]func(*Generator) string{
	"aws":    func(g *Generator) string { return "AK" + "IA" + g.String(upper32, 16) },
	"github": func(g *Generator) string { return "gh" + "p_" + g.mixed(36) },
	"gitlab": func(g *Generator) string { return "gl" + "pat-" + g.mixed(20) },
	"stripe": func(g *Generator) string { return "sk" + "_live_" + g.mixed(24) },
	"slack": func(g *Generator) string {
		return "xo" + "xb-" + "2345678901" + "-" + "345678901234" + "-" + g.mixed(24)
	},
	"openai":   func(g *Generator) string { return "sk" + "-" + g.mixed(20) + "T3Blbk" + "FJ" + g.mixed(20) },
	"sendgrid": func(g *Generator) string { return "S" + "G." + g.mixed(22) + "." + g.mixed(43) },
	"npm":      func(g *Generator) string { return "np" + "m_" + g.mixed(36) },
	"google":   func(g *Generator) string { return "AI" + "za" + g.mixed(35) },
	"jwt": func(g *Generator) string {
		header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))
		body := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"` + g.mixed(16) + `"}`))
		return header + "." + body + "." + g.mixed(43)
	},
}

// Kinds are the names of the provider patterns that Provider makes, sorted.
func Kinds() []string {
	names := make([]string, 0, len(kinds))
	for k := range kinds {
		names = append(names, k)
	}
	sort.Strings(names)
	return names
}

// Provider is a fake key of a kind of [Kinds]; it panics on another.
func (g *Generator) Provider(kind string) string {
	make, ok := kinds[kind]
	if !ok {
		panic(fmt.Sprintf("secretstest: no kind %q; choose one of %v", kind, Kinds()))
	}
	return make(g)
}

// Random is a random value of n characters for a credential-like name.
func (g *Generator) Random(n int) string { return g.mixed(n) }

// Password is a password such as people choose: a word, a symbol, digits.
func (g *Generator) Password() string {
	return "Tr0ub" + "4dor" + g.String("!#%", 1) + g.String(lowerHex, 4)
}

// PrivateKey is a PEM block of a fake private key with lines of 64 characters.
func (g *Generator) PrivateKey(lines int) string {
	var b strings.Builder
	b.WriteString("-----BEG" + "IN RSA PRIV" + "ATE KEY-----\n")
	for range lines {
		b.WriteString(g.String(base62, 64) + "\n")
	}
	b.WriteString("-----E" + "ND RSA PRIV" + "ATE KEY-----")
	return b.String()
}

// Fill replaces {{kind}}, {{random}}, {{password}} and {{key}} in a template by
// fake secrets, each occurrence of one name by the same value.
func (g *Generator) Fill(template string) string {
	values := map[string]string{"random": g.Random(40), "password": g.Password(), "key": g.PrivateKey(6), "random2": g.Random(32)}
	for _, k := range Kinds() {
		values[k] = g.Provider(k)
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		template = strings.ReplaceAll(template, "{{"+name+"}}", values[name])
	}
	return template
}

// Text is about size bytes of code and prose with the words that make secret
// scanners look twice, and no secret.
func (g *Generator) Text(size int) string {
	lines := []string{
		"func (s *Server) handle(ctx context.Context, request *Request) (*Response, error) {\n",
		"\ttoken := request.Header.Get(\"Authorization\")\n",
		"\tif err != nil { return nil, fmt.Errorf(\"read the key of %s: %w\", name, err) }\n",
		"    password = os.environ[\"DB_PASSWORD\"]\n",
		"I'll look at how the session key is stored before I change the auth code.\n",
		"import { useTranslation } from 'react-i18next';\n",
		"const apiKey = process.env.API_KEY ?? '';\n",
		"  \"integrity\": \"sha512-%s\",\n",
		"commit %h\n",
		"the test of the tokenizer passes: 42 passed, 3 skipped in 1.02s\n",
		"| key | value | access |\n",
		"-----\n",
	}
	var b strings.Builder
	for b.Len() < size {
		line := lines[g.random.IntN(len(lines))]
		line = strings.ReplaceAll(line, "sha512-%s", "sha512-"+g.String(base62, 86)+"==")
		b.WriteString(strings.ReplaceAll(line, "%h", g.String(lowerHex, 40)))
	}
	return b.String()
}
