package weakcrypto

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern/codepatterntest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestWeakCrypto(t *testing.T) {
	if codepattern.Tier() != "tree" {
		t.Skip("the scripts expect what trees show; built without cgo")
	}
	detecttest.Run(t, Detector)
}

// Without cgo regular expressions find it, with a confidence of at most 0.7.
func TestPlainTier(t *testing.T) {
	s := segment("import hashlib\nstored = hashlib.md5(password).hexdigest()\n")
	s.Language, s.Path = "python", "app.py"
	found := instanceOf(t).strongest(&detect.Pass{}, s)
	require.Len(t, found, 1)
	require.Equal(t, sessionevents.Urgency(20), detect.Published(&found[0].Finding))
	if codepattern.Tier() != "tree" {
		require.LessOrEqual(t, found[0].Confidence, codepattern.PlainCap)
	}
}

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"cat > auth.py <<'E'\nimport hashlib\ntoken = hashlib.md5(password).hexdigest()\nE\n",
		"cat > a.js <<'E'\nconst sessionId = Math.random();\nE\n", "rm auth.py", "sed -i s/md5/sha256/ auth.py", "go test ./...",
		"```go\nvar c = tls.Config{InsecureSkipVerify: true}\n```",
	})
}

// Each firing example of a pattern is a weakness that it finds, each silent one
// none that any pattern finds. Without trees one firing example must do.
func TestExamples(t *testing.T) {
	d := instanceOf(t)
	patterns := codepatterntest.Rules(t, rules.Default(), section)
	for i := range patterns {
		r := &patterns[i]
		for _, language := range r.Languages {
			t.Run(r.ID+"/"+language, func(t *testing.T) { d.example(t, r, language) })
		}
	}
}

func (d *instance) example(t *testing.T, r *codepattern.Rule, language string) {
	examples := r.Examples[language]
	require.NotEmpty(t, examples.Firing)
	require.NotEmpty(t, examples.Silent)
	found := 0
	for _, code := range examples.Firing {
		if slices.Contains(d.weaknesses(language, code), r.ID) {
			found++
		} else if codepattern.Tier() == "tree" {
			t.Errorf("silent on:\n%s", code)
		}
	}
	if codepattern.Tier() != "tree" {
		require.True(t, found > 0 || r.Regex == "", "the regex finds no firing example")
		return
	}
	for _, code := range examples.Silent {
		require.Empty(t, d.weaknesses(language, code), code)
	}
}

// weaknesses are the rules that find one in code.
func (d *instance) weaknesses(language, code string) []string {
	var out []string
	matches := d.engine.Code(language, code)
	for i := range matches {
		if m := &matches[i]; !d.harmless(d.scene(segment(code), code, m), m, code, false) {
			out = append(out, m.Rule.ID)
		}
	}
	return out
}

func instanceOf(t *testing.T) *instance {
	made, err := newInstance(rules.Default())
	require.NoError(t, err)
	return made.(*instance)
}

// segment is code as a file that is written.
func segment(code string) *sessionevents.Segment {
	hunk := sessionevents.Hunk{NewStart: 1}
	for _, line := range strings.Split(code, "\n") {
		hunk.Lines = append(hunk.Lines, "+"+line)
	}
	return &sessionevents.Segment{Kind: sessionevents.SegmentDiff, Diff: &sessionevents.Diff{Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{hunk}}}
}

func TestVocabulary(t *testing.T) {
	d := instanceOf(t)
	for _, c := range []struct{ kind, text, family string }{
		{kindHash, "h = md5(user_password)", "password"},
		{kindHash, "apiKeyDigest := md5.Sum(b)", "secret"},
		{kindHash, "X-Api-Key", "secret"},
		{kindHash, "monkey keyboard primary_key tokenizer token_count max_tokens author", ""},
		{kindHash, "key = md5(x)", ""},
		{"cipher", "c = DES.new(key)", "key"},
		{"cipher", "new SecretKeySpec(b) sorted(a, primaryKey)", ""},
		{kindRandom, "const sessionId = Math.random()", "session"},
		{kindRandom, "session.get(url) next_token cacheKey", ""},
		{"tls", "requests.Session().get(url)", ""},
	} {
		_, f := d.auth.find(c.text, func(f *family) bool { return f.counts(c.kind, string(scopeStatement)) })
		found := ""
		if f != nil {
			found = f.ID
		}
		require.Equal(t, c.family, found, c.text)
	}
}

func TestAssigned(t *testing.T) {
	for line, want := range map[string]string{
		"hash = md5(x)": "hash", "  self.hash = x": "hash", "final byte[] iv = new byte[16];": "iv", "$token .= $x;": "token",
		"block, err := f(key)": "block", "const iv: Buffer = x": "iv", "total += 1": "total", "if a == b:": "", "f(a=1)": "", "x => y": "", "a <= b": "",
	} {
		require.Equal(t, want, assigned(line), line)
	}
}

// A user's file may change what protects and add patterns; faults are named.
func TestOverrides(t *testing.T) {
	for text, fault := range map[string]string{
		"weakcrypto: {auth_floor: 3}":                                          "",
		"weakcrypto_go: {rules: [{id: go-weak-random, remove: true}]}":         "",
		"weakcrypto: {auth: [{id: tenant, phrases: [tenant], kinds: [hush]}]}": `unknown kind "hush"`,
		"weakcrypto: {auth: [{id: tenant, phrases: [' ']}]}":                   "a phrase is empty",
		"weakcrypto: {kinds: {hash: {families: [passwort]}}}":                  `unknown family "passwort"`,
		"weakcrypto: {shape: '('}":                                             "weakcrypto.shape",
		"weakcrypto_go: {rules: [{id: go-weak-random, labels: {kind: dice}}]}": `labels.kind is "dice"`,
		"weakcrypto_go: {rules: [{id: go-zero-iv, labels: {buffer: '('}}]}":    "labels.buffer",
	} {
		set, err := rules.Load("mine.yaml", []byte(text))
		require.NoError(t, err, text)
		_, err = newInstance(set)
		if fault == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, fault, text)
		}
	}
}

// Whatever the code, nothing panics and a message has at most 40 words (SW-30).
func FuzzFinding(f *testing.F) {
	made, err := newInstance(rules.Default())
	require.NoError(f, err)
	d := made.(*instance)
	patterns := codepatterntest.Rules(f, rules.Default(), section)
	for i := range patterns {
		for language, examples := range patterns[i].Examples {
			for _, code := range examples.Firing {
				f.Add(language, code)
			}
		}
	}
	f.Fuzz(func(t *testing.T, language, code string) {
		s := segment(code)
		s.Language, s.Path = language, "auth/a b.x"
		for _, found := range d.strongest(&detect.Pass{}, s) {
			require.LessOrEqual(t, len(strings.Fields(found.Message)), 40)
			require.NotEmpty(t, found.Evidence)
		}
	})
}

// A choice among characters makes a token, one among tokens makes none.
func TestPicked(t *testing.T) {
	d := instanceOf(t)
	for code, want := range map[string]bool{
		"random.choice(tokens)": true, "random.choice(self.api_keys)": true, "$tokens[array_rand($tokens)]": true,
		"tokens.get(random.nextInt(tokens.size()))": true, "random.sample(sorted(passwords), 3)": true,
		"random.choice(token_chars)": false, "random.choice(tokenList)": true, "random.choice(words)": false, "random.choice(chars)": false, "random.choice(string.ascii_letters)": false,
		"password[rand.Intn(len(password))]": false, "letters[rand.Intn(len(letters))]": false, "token = random.random()": false,
	} {
		require.Equal(t, want, d.picked(code, "make"), code)
	}
	require.True(t, d.picked("providers[rand.Intn(len(providers))]", "pickAuthProvider"))
	require.False(t, d.picked("chars[rand.Intn(len(chars))]", "makeToken"))
}

// A pattern of choices without its group is refused, not run.
func TestPicksNeedAGroup(t *testing.T) {
	for _, pattern := range []string{`choice\(`, `(a)(b)`, `(`} {
		set, err := rules.Load("test.yaml", []byte("weakcrypto: {picks: ['"+pattern+"']}"))
		require.NoError(t, err)
		_, err = newInstance(set)
		require.ErrorContains(t, err, "test.yaml:1: weakcrypto.picks.0")
	}
}
