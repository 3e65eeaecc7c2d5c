package secrets

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
)

type labelledString struct {
	File, Test, Text string
	Label            int
}

// providerFiles are the label sets about one provider's pattern. Left out: IP
// addresses, plain base64 and hex, keywords; the sets whose secrets are made of
// x or Z only, which no rule with an entropy bound takes.
var providerFiles = map[string]bool{
	"aws_key_test.py": true, "azure_storage_key_test.py": true, "discord_test.py": true, "github_token_test.py": true, "gitlab_token_test.py": true, "jwt_test.py": true,
	"mailchimp_key_test.py": true, "npm_test.py": true, "openai_test.py": true, "pypi_token_test.py": true, "sendgrid_test.py": true, "square_oauth_test.py": true,
	"stripe_key_test.py": true, "telegram_token_test.py": true, "slack_test.py": true, "cloudant_test.py": true, "ibm_cloud_iam_test.py": true,
}

// dummy reports whether a labelled secret is no secret of its provider's form:
// runs of one letter, example words.
func dummy(text string) bool {
	for _, part := range []string{"ZZZZZZ", "xxxxxx", "EXAMPLE", "hellOworld", "helloworld", "abcdefghij"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// Recall and false findings on the labels of detect-secrets (B1). The figures
// are in doc.md of detectors/hardcodedsecret:
//
//	go test -tags gore2regex -run Quality -v ./internal/analysis/secrets
func TestQualityOnDetectSecrets(t *testing.T) {
	s := testScanner(t)
	found, all, false1, none, fakes := 0, 0, 0, 0, 0
	for _, l := range labelled[labelledString](t, "detect_secrets.jsonl.gz") {
		if !providerFiles[l.File] {
			continue
		}
		hit := false
		for _, f := range s.Find(l.Text, "") {
			hit = hit || !f.Placeholder
		}
		switch {
		case l.Label == 1 && dummy(l.Text):
			fakes++
		case l.Label == 1:
			all++
			if hit {
				found++
			} else {
				t.Logf("missed: %s %.60q", l.File, l.Text)
			}
		default:
			none++
			if hit {
				false1++
				t.Logf("found in an unlabelled string: %s %.60q", l.File, l.Text)
			}
		}
	}
	t.Logf("detect-secrets: %d of %d provider strings found; %d self-evident fakes left out; %d of %d strings labelled 0 found", found, all, fakes, false1, none)
	require.Greater(t, float64(found)/float64(all), 0.95)
}

type gosecSample struct {
	Set    string
	Code   []string
	Errors int
}

func TestQualityOnGosec(t *testing.T) {
	s := testScanner(t)
	right, all := 0, 0
	for _, l := range labelled[gosecSample](t, "gosec.jsonl.gz") {
		if !strings.HasPrefix(l.Set, "SampleCodeG101") {
			continue
		}
		all++
		text := strings.Join(l.Code, "\n")
		if (len(s.Find(text, "main.go")) > 0) == (l.Errors > 0) {
			right++
		} else {
			t.Logf("%d expected: %.300q", l.Errors, text)
		}
	}
	t.Logf("gosec G101: %d of %d programs judged as labelled", right, all)
	require.Greater(t, float64(right)/float64(all), 0.9)
}

// Every rule's own form, and every kind of placeholder behind every name.
func TestQualityOnGenerated(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(20)
	random := rand.New(rand.NewPCG(20, 1))
	frames := []string{"key = \"%s\"", "KEY=%s", "{\"v\": \"%s\"}", "- %s", "auth('%s')"}
	found, all := 0, 0
	for range 100 {
		for _, kind := range secretstest.Kinds() {
			all++
			for _, f := range s.Find(fmt.Sprintf(frames[random.IntN(len(frames))], g.Provider(kind)), "") {
				if f.Tier == TierProvider && f.Validated {
					found++
					break
				}
			}
		}
	}
	alarms, placeholders := 0, 0
	for _, name := range []string{"password", "API_KEY", "secretKey", "auth_token", "db_password", "client_secret"} {
		for _, value := range placeholderValues {
			for _, frame := range []string{"%s = \"%s\"", "%s: '%s'", "\"%s\": \"%s\"", "%s=%s"} {
				placeholders++
				for _, f := range s.Find(fmt.Sprintf(frame, name, value), "") {
					if !f.Placeholder {
						alarms++
						t.Logf("alarm: %s for %s in %s", f.Rule, value, fmt.Sprintf(frame, name, "…"))
						break
					}
				}
			}
		}
	}
	t.Logf("generated: %d of %d provider keys found; %d of %d placeholders taken for secrets", found, all, alarms, placeholders)
	require.GreaterOrEqual(t, float64(found)/float64(all), 0.95)
	require.LessOrEqual(t, float64(alarms)/float64(placeholders), 0.02)
}

var placeholderValues = []string{
	"your-api-key", "YOUR_API_KEY_HERE", "<your-token>", "<password>", "changeme", "change-me", "CHANGE_ME", "xxxxxxxxxxxx", "XXXX-XXXX-XXXX", "********", "........",
	"example", "example-key", "my-secret-key", "insert_key_here", "INSERT-TOKEN-HERE", "placeholder", "dummy", "dummy-token-value", "fake", "fake-api-key-12345", "sample_password",
	"test", "test-key", "test_token_123", "foo", "foobar", "todo", "TODO: set me", "redacted", "[REDACTED]", "[your key]", "replace-me", "replace_with_real_key", "none", "null", "undefined",
	"string", "secret", "password", "token", "${PASSWORD}", "$PASSWORD", "{{ password }}", "{password}", "%(password)s", "%s", "<%= token %>", "0000000000000000", "1234567890abcdef1234567890abcdef",
	"abcdefghijklmnopqrstuvwxyz", "not-a-secret", "sk-your-key-here", "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "pk_test_your_key", "demo", "mock-token", "enter your password", "some-api-key", "default",
	"os.environ['X']", "process.env.SECRET", "vault:secret/app#key", "arn:aws:secretsmanager:x", "/run/secrets/db", "ENC[AES256]", "op://vault/item/field",
}

// All findings in the real transcripts, counted by rule; read on 129 sessions.
func TestQualityOnTranscripts(t *testing.T) {
	s := testScanner(t)
	counts := map[string]int{}
	bytes := 0
	for _, text := range transcriptTexts(t) {
		bytes += len(text)
		for _, f := range s.Find(text, "") {
			if !f.Placeholder {
				counts[f.Rule]++
			}
		}
	}
	t.Logf("transcripts: %d bytes, findings that are no placeholders: %v", bytes, counts)
	require.Less(t, len(counts), 10)
}
