package patterncontradiction

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Second libraries and bypasses in the languages the catalogue knows: what is
// established comes from a manifest that is read, or from a convention.
func TestRecallAcrossLanguages(t *testing.T) {
	for _, c := range []struct {
		name, convention, manifest, dependencies, file, code, subject string
	}{
		{"go orm", "", "go.mod", "module x.org/y\n\nrequire gorm.io/gorm v1.25.0\n", "store/order.go", "package store\n\nimport \"entgo.io/ent\"\n", "ent"},
		{"go raw sql", "", "go.mod", "module x.org/y\n\nrequire gorm.io/gorm v1.25.0\n", "store/order.go", "package store\n\nimport \"database/sql\"\n", "database/sql"},
		{"go logger", "", "go.mod", "module x.org/y\n\nrequire go.uber.org/zap v1.27.0\n", "api/a.go", "package api\n\nimport (\n\t\"github.com/sirupsen/logrus\"\n)\n", "logrus"},
		{"java json", "", "pom.xml", "<dependency><artifactId>jackson-databind</artifactId></dependency>\n", "src/main/java/a/Codec.java", "import com.google.gson.Gson;\n\nclass Codec {\n}\n", "Gson"},
		{"java client", "", "build.gradle", "implementation 'com.squareup.okhttp3:okhttp:4.12.0'\n", "src/main/java/a/Client.java", "import retrofit2.Retrofit;\nimport org.apache.http.client.HttpClient;\n", "Apache HttpClient"},
		{"ruby client", "", "Gemfile", "gem 'faraday'\n", "app/services/rates.rb", "require 'httparty'\n", "HTTParty"},
		{"php client", "", "composer.json", "{\"require\": {\n\"guzzlehttp/guzzle\": \"^7.0\"\n}}\n", "src/Rates.php", "<?php\nuse Symfony\\Component\\HttpClient\\HttpClient;\n", "Symfony HttpClient"},
		{"rust runtime", "", "Cargo.toml", "[dependencies]\ntokio = \"1\"\n", "src/job.rs", "use async_std::task;\n", "async-std"},
		{"python tests", "", "requirements.txt", "pytest==8.0\n", "tests/test_a.py", "import nose\n", "nose"},
		{"react state", "", "package.json", "{\n\"@reduxjs/toolkit\": \"^2.0.0\"\n}\n", "src/cart.ts", "import { create } from 'zustand';\n", "Zustand"},
		{"console", "Never use console.log; use src/logger.", "", "", "src/pay.ts", "export function pay() {\n  console.log('paid');\n}\n", "console.log"},
		{"print", "All logging goes through app/log.py.", "", "", "app/pay.py", "def pay():\n    print('paid')\n", "print"},
		{"raw sql in words", "No raw SQL; use Active Record.", "", "", "app/models/a.rb", "def all\n  connection.execute('select 1')\nend\n", "pg gem"},
		{"go http", "Use internal/httpx for all outgoing HTTP requests.", "", "", "rates/rates.go", "package rates\n\nfunc get() { http.Get(\"https://example.org\") }\n", "net/http"},
		{"literal", "Do not import `legacy.payments`.", "", "", "app/checkout.py", "from legacy.payments.core import charge\n", "legacy.payments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opened := &sessionevents.SessionOpened{Session: "s", Task: "Extend the service."}
			if c.convention != "" {
				opened.Conventions = []sessionevents.Convention{{Rule: c.convention}}
			}
			signals := play(t, opened, c.manifest, c.dependencies, c.file, c.code)
			var subjects []string
			for _, s := range signals {
				subjects = append(subjects, s.Subject)
			}
			require.Contains(t, subjects, c.subject)
		})
	}
}

// play reads a manifest in one turn and writes a file in the next.
func play(t *testing.T, opened *sessionevents.SessionOpened, manifest, dependencies, file, code string) []sessionevents.Signal {
	t.Helper()
	set := rules.Default()
	suite, err := detect.NewSuite([]*detect.Detector{Detector}, set)
	require.NoError(t, err)
	session := detecttest.NewSession(t, set, opened)
	memory := suite.NewMemory()
	call := func(id, name string, input map[string]string, output string) []sessionevents.Block {
		data, err := json.Marshal(input)
		require.NoError(t, err)
		return []sessionevents.Block{{Type: sessionevents.BlockToolCall, ID: id, Name: name, Input: data}, {Type: sessionevents.BlockToolResult, ID: id, Output: output}}
	}
	var signals []sessionevents.Signal
	for _, blocks := range [][]sessionevents.Block{
		call("1", "Read", map[string]string{"file_path": manifest}, dependencies),
		call("2", "Write", map[string]string{"file_path": file, "content": code}, "ok"),
	} {
		pass := session.Next(&sessionevents.Turn{Session: "s", Blocks: blocks})
		signals = append(signals, suite.Evaluate(pass, memory).Signals...)
		session.Commit(pass)
	}
	return signals
}
