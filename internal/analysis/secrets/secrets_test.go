package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestEngineIsRE2(t *testing.T) {
	if Engine() == "stdlib" {
		t.Skip("built without the tag gore2regex: correct, but some ten times slower")
	}
	require.Contains(t, Engine(), "re2")
}

func TestNewRefusesAnEmptyKey(t *testing.T) {
	_, err := New(Config{}, nil)
	require.ErrorContains(t, err, "fingerprint key is empty")
}

func TestConfigRefusesUnknownKinds(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("secrets:\n  terms:\n    - {id: password, kind: strong}\n"))
	require.NoError(t, err)
	_, err = LoadConfig(set)
	require.ErrorContains(t, err, "choose password, secret or token")
}

// B1: provider patterns, 0.95, the value alone, whatever stands around it.
func TestProviders(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(1)
	for _, kind := range secretstest.Kinds() {
		value := g.Provider(kind)
		for _, around := range []string{"%", "x = \"%\"", "see % now", "{\"a\":\"%\"}", `{\"a\":\"%\"}`, `{\\\"a\\\":\\\"%\\\"}`, `first\n%\nlast`, "KEY=%\n", "('%')"} {
			text := strings.ReplaceAll(around, "%", value)
			found := s.Find(text, "main.go")
			require.Len(t, found, 1, "%s in %s", kind, around)
			require.Equal(t, TierProvider, found[0].Tier)
			require.Equal(t, 0.95, found[0].Confidence)
			require.True(t, found[0].Validated)
			require.False(t, found[0].Placeholder)
			require.Equal(t, value, text[found[0].Start:found[0].End], "%s in %s", kind, around)
		}
	}
}

// Keys with a shape of their own are recognised also where the dice gave them no digit.
func TestShapesWithoutDigits(t *testing.T) {
	s := testScanner(t)
	for _, secret := range []string{"NR" + "AK-" + "QWERTZUIOPASDFGHJKLYXCVBNMQ", "NR" + "II-" + "qwertzuiop_asdfghjklyxcvbnm-QWER"} {
		require.Len(t, s.Find("newrelic profile add --apiKey "+secret, ""), 1, "%s", secret[:5])
		require.Len(t, s.Find("("+secret+")", ""), 1, "%s", secret[:5])
	}
	secret := "QWERTZUIOPASDFGH" + "JKLYXCVBNMQWERTZ"
	require.Len(t, s.Find("otpauth://totp/Acme:alice?secret="+secret+"&issuer=Acme", ""), 1)
	require.Empty(t, s.Find("otpauth://totp/{label}?secret={secret}", ""))
}

func TestPrivateKeys(t *testing.T) {
	s := testScanner(t)
	key := secretstest.New(2).PrivateKey(12)
	for _, text := range []string{key, "a\n" + key + "\nb", `"` + strings.ReplaceAll(key, "\n", `\n`) + `"`, strings.ReplaceAll(key, "\n", "\n+")} {
		found := s.Find(text, "")
		require.Len(t, found, 1)
		require.GreaterOrEqual(t, found[0].End-found[0].Start, len(key), "the whole block")
	}
	cut := key[:len(key)/2]
	found := s.Find("out:\n"+cut+"\n", "")
	require.Len(t, found, 1, "a block whose end is missing")
	require.Equal(t, "private-key-cut", found[0].Rule)
	require.Empty(t, s.Find("-----BEG"+"IN PRIVATE KEY-----\n"+strings.Repeat("put your key here and then go on\n", 6)+"-----E"+"ND PRIVATE KEY-----", ""))
}

type namedCase struct {
	text, variable string
	rule           string
	confidence     float64
}

// B1: names. % is a random value of 40 characters, ! a password.
func TestNames(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(3)
	random, password := g.Random(40), g.Password()
	for _, c := range []namedCase{
		{`password = "!"`, "password", "named-literal", 0.75},
		{`DB_PASSWORD=!`, "DB_PASSWORD", "named-literal", 0.75},
		{`export DB_PASSWORD='!'`, "DB_PASSWORD", "named-literal", 0.75},
		{`"password": "!"`, "password", "named-literal", 0.75},
		{`\"password\": \"!\"`, "password", "named-literal", 0.75},
		{`config["password"] = '!'`, "password", "named-literal", 0.75},
		{`password: str = "!"`, "password", "named-literal", 0.75},
		{`const char *passwd = "!";`, "passwd", "named-literal", 0.75},
		{`if password == "!" {`, "password", "named-literal", 0.75},
		{`if "!" != password {`, "password", "named-literal", 0.75},
		{`define('DB_PASSWORD', '!');`, "DB_PASSWORD", "named-literal", 0.75},
		{`client.setPassword("!")`, "setPassword", "named-literal", 0.75},
		{`<password>!</password>`, "password", "named-literal", 0.75},
		{`\u003cpassword\u003e!\u003c/password\u003e`, "password", "named-literal", 0.75},
		{`\\u003cpassword\\u003e!\\u003c/password\\u003e`, "password", "named-literal", 0.75},
		{`mysql --password !`, "password", "named-literal", 0.75},
		{`apiKey := "%"`, "apiKey", "named-entropy", 0.9},
		{`api_key = os.getenv("API_KEY", "%")`, "API_KEY", "named-entropy", 0.9},
		{`const k = process.env.API_TOKEN || "%";`, "API_TOKEN", "named-entropy", 0.9},
		{"SECRET_KEY = 'django-insecure-%'", "SECRET_KEY", "named-entropy", 0.9},
		{`curl -H "X-Api-Key: %"`, "X-Api-Key", "", 0},
		{`Authorization: Bearer %`, "Authorization", "named-entropy", 0.9},
		{`aws_secret_access_key = %`, "aws_secret_access_key", "named-entropy", 0.9},
		{`clientSecret: "%"`, "clientSecret", "named-entropy", 0.9},
		{`session_key = "%"`, "session_key", "weak-context", 0.4},
		{`password = "your-password"`, "password", "named-literal", 0.3},
		{`api_key: "<your-api-key>"`, "api_key", "named-literal", 0.3},
		{`API_KEY=changeme-please`, "API_KEY", "", 0},
		{`token = "xxxxxxxxxxxxxxxx"`, "token", "named-literal", 0.3},
	} {
		text := strings.NewReplacer("%", random, "!", password).Replace(c.text)
		if strings.Contains(c.text, "!=") {
			text = strings.Replace(`if "!" != password {`, "!", password, 1)
		}
		found := s.Find(text, "config.py")
		if c.rule == "" {
			continue
		}
		require.Len(t, found, 1, c.text)
		require.Equal(t, c.variable, found[0].Variable, c.text)
		require.Equal(t, c.rule, found[0].Rule, c.text)
		require.Equal(t, c.confidence, found[0].Confidence, c.text)
		require.Equal(t, c.confidence == 0.3, found[0].Placeholder, c.text)
	}
}

// SW-7: what was redacted is not redacted again, also where names need no quotes
// around their values and rules' own names look like credentials.
func TestMarkersHoldNoSecret(t *testing.T) {
	s := testScanner(t)
	for _, rule := range []string{"named-literal", "twilio-api-key", "azure-ad-client-secret", "jwt"} {
		marker := Marker(rule, "11dcc6139134")
		for _, text := range []string{marker, "API_TOKEN=" + marker, "password: " + marker + "\n", `{"secret":"` + marker + `"}`} {
			for _, path := range []string{"Dockerfile", ".env", "a.yaml", "a.go", ""} {
				require.Empty(t, s.Find(text, path), "%s in %q", text, path)
			}
		}
	}
	hidden := MarkerOpen + "a:" + secretstest.New(11).Provider("github") + MarkerClose
	require.Len(t, s.Find(hidden, ""), 1, "what only looks like a marker")
}

// B1: examples in a header or a command are examples; the rules that find them
// know no provider.
func TestGenericRulesKnowExamples(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(12)
	random, password := g.Random(32), g.Password()
	for text, confidence := range map[string]float64{
		`curl -H "Authorization: Bearer YOUR_ACCESS_TOKEN" https://h`: 0.3,
		`curl -H "Authorization: Bearer ` + random + `" https://h`:    0.9,
		`curl -u admin:` + password + ` https://h`:                    0.75,
		`sshpass -p '` + password + `' ssh a@b`:                       0.75,
		`mysql -u root -p` + password + ` shop`:                       0.75,
		"machine h login me password " + password:                     0.75,
		`CREATE USER app WITH PASSWORD '` + password + `';`:           0.75,
		`t = os.getenv("API_TOKEN", default="` + random + `")`:        0.9,
	} {
		found := s.Find(text, "run.sh")
		require.Len(t, found, 1, text)
		require.Equal(t, confidence, found[0].Confidence, text)
		require.Equal(t, confidence == 0.3, found[0].Placeholder, text)
		require.False(t, found[0].Validated, text)
	}
	for _, text := range []string{`curl -H "Authorization: Bearer $TOKEN" https://h`, `mysql -u root -p"$DB_PASS" shop`, `mysql -u root -p shop`, `sshpass -p ${PASS} ssh a@b`} {
		require.Empty(t, s.Find(text, "run.sh"), text)
	}
}

// B1: labels in files of translations are no passwords, values there are.
func TestTranslations(t *testing.T) {
	s := testScanner(t)
	for _, path := range []string{"locales/de.json", "src/i18n/es.ts", "lang/fr.yml", "res/values/strings.xml"} {
		require.Empty(t, s.Find(`"password": "Passwort", "secret": "Geheimnis", currentPassword: "SenhaAtual"`, path), path)
		require.Len(t, s.Find(`"password": "`+secretstest.New(13).Password()+`"`, path), 1, path)
	}
	require.Len(t, s.Find(`"password": "Passwort"`, "src/app.ts"), 1)
}

// B1: base64 behind a colon ends in padding, which is no assignment.
func TestPaddingIsNoAssignment(t *testing.T) {
	value := secretstest.New(14).Random(23)
	for _, padding := range []string{"", "=", "=="} {
		require.Len(t, testScanner(t).Find("data:\n  password: "+value+padding+"\n", "k8s/secret.yaml"), 1, padding)
	}
	require.Empty(t, testScanner(t).Find(`token = "0x`+strings.Repeat("9a", 20)+`"`, "a.ts"), "an address on a chain is public")
}

func TestConcatenationIsOneValue(t *testing.T) {
	s := testScanner(t)
	value := secretstest.New(4).Random(40)
	text := `token = "` + value[:13] + `" +` + "\n    \"" + value[13:] + `"`
	found := s.Find(text, "")
	require.Len(t, found, 1)
	require.Equal(t, value, found[0].Value)
	require.Equal(t, `token = "`+`"`, text[:found[0].Start]+text[found[0].End:])
}

func TestConnectionStrings(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(5)
	for text, rule := range map[string]string{
		"DATABASE_URL=postgres://app:" + g.Password() + "@db:5432/x": "connection-string",
		"mongodb+srv://u:" + g.Random(24) + "@c.example.org/y":       "connection-string",
		"redis://:" + g.Random(20) + "@cache:6379":                   "connection-string",
		"git clone https://bob:" + g.Random(12) + "@git.local/x.git": "basic-auth-url",
	} {
		found := s.Find(text, "")
		require.Len(t, found, 1, text)
		require.Equal(t, rule, found[0].Rule)
		require.False(t, found[0].Placeholder)
	}
	require.True(t, s.Find("postgres://user:password@localhost/db", "")[0].Placeholder)
	for _, none := range []string{"postgres://app:${DB_PASS}@db/x", "https://host:8080/a@b", "https://{user}:{password}@h/", "http://localhost:5000/<%= @variable %>", "see https://x.y/z and mail a@b.c"} {
		require.Empty(t, s.Find(none, ""), none)
	}
}

// B1: reading from environment or vault, types, names of things and noise.
func TestSilent(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(6)
	hex := g.String("0123456789abcdef", 40)
	for _, text := range []string{
		`api_key = os.getenv("API_KEY")`, `const token = process.env.X;`, `password: ${DB_PASSWORD}`, `TOKEN=$TOKEN`, `password = os.environ["DB_PASSWORD"]`,
		`secret = vault.read("secret/data/app")`, `token: ${{ secrets.GITHUB_TOKEN }}`, `password: string;`, `password: Optional[str] = None`, `func login(user, password string) error {`,
		`password = get_password()`, `token = response.data.token`, `secret := cfg.Secret`, `const PASSWORD_FIELD = "password"`, `"token_type": "bearer"`, `max_tokens: 4096`,
		`"max_tokens": "4096abcdEFGH1234"`, `<input type="password" name="password" placeholder="Enter password">`, `label: 'Password'`, `t("password.required")`, `raise ValueError("password must not be empty")`,
		`commit ` + hex, `"integrity": "sha512-` + g.Random(86) + `=="`, `id = "550e8400-e29b-41d4-a716-446655440000"`, `sha256: ` + hex + hex[:24], `etag = "` + hex + `"`, `cache_key = "` + hex + `"`,
		`token_hash = "` + g.Random(40) + `"`, `password_hash = "` + g.Random(40) + `"`, `keyboard = "qwertyuiop"`, `const tokens = ["if", "else"];`, `['username', 'password', 'repository']`, `{"verdict":"pass","assertions":[]}`,
		`private_key: "EllipticCurvePrivateKey"`, `TOKEN_ENDPOINT = "https://auth.example.org/token"`, `password_regex = "^[A-Za-z0-9]{8,}$"`, `secretName: my-tls-secret`, `node.token = lfTokenOpenGroup`, `apiKey={apiKey}`, `f"Bearer {token}"`,
	} {
		require.Empty(t, s.Find(text, "src/app.ts"), text)
	}
	require.Empty(t, s.Find(`"_authTokenHelper": "`+g.Random(40)+`"`, "package-lock.json"))
}

func TestFindNamed(t *testing.T) {
	s := testScanner(t)
	value := secretstest.New(7).Random(40)
	found := s.FindNamed("api_key", value, "")
	require.Len(t, found, 1)
	require.Equal(t, [2]int{0, 40}, [2]int{found[0].Start, found[0].End})
	require.Empty(t, s.FindNamed("content", value, ""))
	require.Empty(t, s.FindNamed("api_key", "${API_KEY}", ""))
}

func TestTestFiles(t *testing.T) {
	s := testScanner(t)
	for _, path := range []string{"a/test_x.py", "x_test.go", "src/a.test.ts", "spec/models/user_spec.rb", "a/__tests__/b.js", "tests/fixtures/c.json", "src/test/java/FooTest.java"} {
		require.True(t, s.TestFile(path), path)
	}
	for _, path := range []string{"", "latest.py", "src/contest.ts", "attestation.go", "src/app.ts", "testing.md"} {
		require.False(t, s.TestFile(path), path)
	}
}

func TestProviderWinsOverName(t *testing.T) {
	s := testScanner(t)
	key := secretstest.New(8).Provider("stripe")
	found := s.Find(`stripe_secret_key = "`+key+`"`, "")
	require.Len(t, found, 1)
	require.Equal(t, "stripe-access-token", found[0].Rule)
	require.Equal(t, "stripe_secret_key", found[0].Variable)
	require.Equal(t, key, found[0].Value)
}

func TestGitleaksAllowExcusesNothing(t *testing.T) {
	require.Len(t, testScanner(t).Find(`k = "`+secretstest.New(9).Provider("github")+`" # gitleaks:allow`, ""), 1)
}

func TestFingerprint(t *testing.T) {
	s := testScanner(t)
	config, err := LoadConfig(rules.Default())
	require.NoError(t, err)
	other, err := New(config, []byte("another key"))
	require.NoError(t, err)
	require.Regexp(t, "^[0-9a-f]{12}$", s.Fingerprint("a"))
	require.Equal(t, s.Fingerprint("a"), s.Fingerprint("a"))
	require.NotEqual(t, s.Fingerprint("a"), s.Fingerprint("b"))
	require.NotEqual(t, s.Fingerprint("a"), other.Fingerprint("a"))
	require.Equal(t, "‹secret:jwt:0123456789ab›", Marker("jwt", "0123456789ab"))
}

func TestFindIsDeterministicAndOrdered(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(10)
	text := g.Fill("a={{github}}\npassword='{{password}}'\n{{key}}\npostgres://u:{{random}}@h\n") + g.Text(4000)
	first := s.Find(text, "a.py")
	require.Len(t, first, 4)
	for range 5 {
		require.Equal(t, first, s.Find(text, "a.py"))
	}
	for i := 1; i < len(first); i++ {
		require.LessOrEqual(t, first[i-1].End, first[i].Start)
	}
}

// Hostile input: text that is nothing but places to look at costs a look a byte.
func TestHostileTexts(t *testing.T) {
	s := testScanner(t)
	for _, part := range []string{"-----BEG" + "IN AA", "a://b:/", "password=\"", "token='\\\\\"", "eyJ", "curl ", " sk" + "_live_", "twitter=", "key", "https://a:b@", "curl -u a:", "mysql -p "} {
		text := strings.Repeat(part, (1<<20)/len(part))
		require.LessOrEqual(t, len(s.Find(text, "")), len(text)/len(part), part)
	}
}

func FuzzFind(f *testing.F) {
	s := testScanner(f)
	g := secretstest.New(11)
	f.Add(g.Fill("x={{aws}} password=\"{{password}}\"\n{{key}}"))
	f.Add(`token = "a" + "b`)
	f.Add(`\\\"secret\\\":\\\"`)
	f.Add("a://:@b")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range s.Find(text, "a/.env") {
			require.LessOrEqual(t, end, found.Start)
			require.Less(t, found.Start, found.End)
			require.LessOrEqual(t, found.End, len(text))
			end = found.End
		}
		for _, found := range s.FindNamed("password", text, "") {
			require.LessOrEqual(t, found.End, len(text))
		}
	})
}
