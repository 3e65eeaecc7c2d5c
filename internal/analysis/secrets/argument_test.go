package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
)

// B1: a literal in the place of a credential is one, whatever it is called: itself, wrapped, or in
// the variable that is handed over. "!" stands for a password.
func TestPassedCredentials(t *testing.T) {
	s := testScanner(t)
	password := secretstest.New(21).Password()
	for code, variable := range map[string]string{
		`crypto.createHmac('sha256', '!')`:                                        "createHmac",
		"const k = '!';\nlet x = 1;\njwt.sign({ id }, k, { algorithm: 'HS256' })": "k",
		`jwt.verify(t, process.env.JWT || '!')`:                                   "verify",
		`jwt.encode(payload, key="!")`:                                            "encode",
		"mine := []byte(\"!\")\nreturn token.SignedString(mine)":                  "mine",
		`return token.SignedString([]byte("!"))`:                                  "SignedString",
		`jwt.GinJWTMiddleware{Realm: "zone", Key: []byte("!")}`:                   "GinJWTMiddleware",
		"var x []byte = []byte(`!`)\nhmac.New(sha256.New, x)":                     "x",
		"+  hmac.new(\n+    b'!',\n+    body, 'sha256')":                          "new",
		`DriverManager.getConnection(url, "me", "!")`:                             "getConnection",
		`String p = "!"; new PBEKeySpec(p.toCharArray(), salt, 1000)`:             "p",
		`new PasswordAuthentication(user, "!".toCharArray())`:                     "PasswordAuthentication",
		`jose.jwtVerify(t, new TextEncoder().encode('!'))`:                        "jwtVerify",
		`hashlib.pbkdf2_hmac('sha256', b'!', salt, 100000)`:                       "pbkdf2_hmac",
		`$mac = hash_hmac('sha256', $body, '!');`:                                 "hash_hmac",
		`OpenSSL::HMAC.hexdigest('SHA256', '!', data)`:                            "hexdigest",
		`{\"code\": \"crypto.createHmac('sha256', \\\"!\\\")\"}`:                  "createHmac",
	} {
		found := s.Find(strings.ReplaceAll(code, "!", password), "src/a.txt")
		require.Len(t, found, 1, code)
		require.Equal(t, password, found[0].Value, code)
		require.Equal(t, variable, found[0].Variable, code)
		require.Equal(t, 0.75, found[0].Confidence, code)
		require.False(t, found[0].Placeholder, code)
	}
}

// B1: examples are logged; what is read, computed or names an algorithm is nothing.
func TestPassedExamples(t *testing.T) {
	s := testScanner(t)
	for _, code := range []string{`crypto.createHmac('sha256', 'your-secret')`, `client.setPassword("changeme")`, `auth.SetBasicAuth("user", "secret")`} {
		found := s.Find(code, "src/a.go")
		require.Len(t, found, 1, code)
		require.True(t, found[0].Placeholder, code)
	}
	for _, code := range []string{
		`crypto.createHmac('sha256', key)`, `jwt.sign(payload, process.env.JWT_KEY)`, `createHmac('sha256', 'prefix' + key)`, `hash_hmac('sha256', 'data', $key)`,
		"key := load()\nhmac.New(sha256.New, key)", `token.SignedString(os.Getenv("KEY"))`, `jwt.decode(t, 'HS256')`, `json.encode("left", "rightvalue")`, `hmac.New(sha256.New, readFile("app.key"))`,
		"key = 'firstvalue'\nkey = fetch()\njwt.sign(payload, key)", `redesign("left", "rightvalue")`, `crypto.createHmac('sha256', 'a`, `createHmac(`,
	} {
		require.Empty(t, s.Find(code, "src/a.go"), code)
	}
}

// Text of calls costs no more than its length, however often it repeats.
func TestCallsAreBounded(t *testing.T) {
	s := testScanner(t)
	for _, part := range []string{"createHmac(", "createHmac(a,b)", "jwt.sign(x,", "x = y\njwt.sign(x, x)\n", "getConnection((((", "k=k;SignedString(k);"} {
		text := strings.Repeat(part, (1<<20)/len(part))
		require.LessOrEqual(t, len(s.Find(text, "")), len(text)/len(part), part)
	}
}

// B1: short quoted values after a name, and letters that make no word; words and lists stay.
func TestShortAndOpaque(t *testing.T) {
	s := testScanner(t)
	opaque := "hgf" + "edcba"
	for code, placeholder := range map[string]bool{
		`password := "p4` + `ss"`: false, `"apiKey": "` + opaque + `"`: false, ` token = "` + opaque + `"`: false, `secretAccessKey: "NotSo` + `SecretKey1"`: false,
		`password == "root"`: true, `testPassword := "hunter22"`: true, `token: "eyJhbGciOi..."`: true,
	} {
		found := s.Find(code, "src/a.go")
		require.Len(t, found, 1, code)
		require.Equal(t, placeholder, found[0].Placeholder, code)
	}
	for _, code := range []string{`token = "identifier"`, `apiKey: "required"`, `password: "yes"`, `token: "continuation"`, `pass: "ok"`} {
		require.Empty(t, s.Find(code, "src/a.go"), code)
	}
}

// B1: what a document shows in an example is one; a random value there is not.
func TestExamplesInDocuments(t *testing.T) {
	s := testScanner(t)
	random := secretstest.New(22).Random(40)
	for code, want := range map[string]bool{
		`  "password": "password123"`: true, `postgresql://app:app_password@db:5432/app`: true, `"password": "SecurePass1"`: true, `API_TOKEN=` + random: false,
	} {
		found := s.Find(code, "docs/api.md")
		require.Len(t, found, 1, code)
		require.Equal(t, want, found[0].Placeholder, code)
	}
	require.False(t, s.Find(`"password": "password123"`, "src/seed.json")[0].Placeholder)
}
