package manifest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"web/package.json", "{\n  \"name\": \"web\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\"build\": \"tsc\"},\n  \"dependencies\": {\n    \"axios\": \"^1.6.0\",\n    \"@scope/x\": \"workspace:*\"\n  }\n}", []string{"axios", "@scope/x"}},
		{"requirements-dev.txt", "# dev\nrequests==2.31.0\npytest\nuvicorn[standard]>=0.2 # server\n-r base.txt\n", []string{"requests", "pytest", "uvicorn"}},
		{"requirements/base.txt", "Django>=4\n", []string{"Django"}},
		{"pyproject.toml", "[project]\nversion = \"0.1.0\"\nrequires-python = \">=3.11\"\ndependencies = [\"click\",\n  \"httpx>=0.25\",\n]\n[tool.poetry.dependencies]\npython = \"^3.11\"\npydantic = \"^2.0\"\nline-length = 100\n", []string{"click", "httpx", "pydantic"}},
		{"go.mod", "module example.org/x\n\ngo 1.24\n\nrequire github.com/spf13/cobra v1.8.0\nrequire (\n\tgorm.io/gorm v1.25.0 // indirect\n)\n", []string{"github.com/spf13/cobra", "gorm.io/gorm"}},
		{"Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\ntokio = \"1\"\nown = { path = \"../own\" }\n", []string{"serde", "tokio", "own"}},
		{"Gemfile", "source 'https://rubygems.org'\ngem 'rails', '~> 7'\ngem \"pg\"\n", []string{"rails", "pg"}},
		{"composer.json", "{\"require\": {\n \"php\": \"^8.2\",\n \"guzzlehttp/guzzle\": \"^7.0\"\n}}", []string{"guzzlehttp/guzzle"}},
		{"pom.xml", "<dependency>\n<artifactId>gson</artifactId>\n</dependency>", []string{"gson"}},
		{"app/build.gradle.kts", "  implementation(\"com.squareup.okhttp3:okhttp:4.12.0\")\n", []string{"okhttp"}},
	} {
		k := Of(c.file)
		require.NotNil(t, k, c.file)
		require.Equal(t, c.want, k.Names(c.text), c.file)
	}
	require.Nil(t, Of("src/main.go"))
	require.Nil(t, Of(""))
}

func FuzzNames(f *testing.F) {
	f.Add("package.json", "\"a\": \"1\"")
	f.Add("go.mod", "require x.y/z v1.0.0")
	f.Add("", "\xff\n")
	f.Fuzz(func(t *testing.T, file, text string) {
		k := Of(file)
		if k == nil {
			k = load()[len(text)%len(load())]
		}
		seen := map[string]bool{}
		for _, name := range k.Names(text) {
			require.NotEmpty(t, name)
			require.False(t, seen[name])
			seen[name] = true
		}
	})
}
