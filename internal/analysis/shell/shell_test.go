package shell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func parser(t testing.TB) *Parser {
	p, err := New(rules.Default())
	require.NoError(t, err)
	return p
}

// describe writes effects as short lines, so that cases read as a table.
func describe(e Effects) string {
	var out []string
	for _, a := range e.Accesses {
		s := string(a.Kind) + " " + a.Target
		if a.From != 0 || a.To != 0 {
			s += fmt.Sprintf(":%d-%d", a.From, a.To)
		}
		if a.Query != "" {
			s += " «" + a.Query + "»"
		}
		out = append(out, s)
	}
	for _, w := range e.Writes {
		switch {
		case w.Patch != "":
			out = append(out, fmt.Sprintf("patch %q", w.Patch))
		case w.Delete:
			out = append(out, "delete "+w.Path)
		case w.Known:
			out = append(out, fmt.Sprintf("content %s %q append=%v", w.Path, w.Content, w.Append))
		default:
			out = append(out, "edits "+w.Path)
			if w.Replaced != w.Inserted {
				out[len(out)-1] += fmt.Sprintf(" %q to %q", w.Replaced, w.Inserted)
			}
		}
	}
	return strings.Join(append(out, "["+strings.Join(e.Kinds, " ")+"]"), "\n")
}

func TestParse(t *testing.T) {
	cases := []struct{ command, want string }{
		// Reading (SW-12).
		{"cat a.go b/c.go", "read a.go\nread b/c.go\n[read]"},
		{"sed -n '10,20p' a.go", "read a.go:10-20\n[read]"},
		{"sed -n 5p a.go", "read a.go:5-5\n[read]"},
		{"sed -n '200,$p' a.go", "read a.go:200-0\n[read]"},
		{"head -n 20 a.go", "read a.go:1-20\n[read]"},
		{"head -50 a.go", "read a.go:1-50\n[read]"},
		{"head a.go", "read a.go:1-10\n[read]"},
		{"tail -n +30 a.go", "read a.go:30-0\n[read]"},
		{"tail -20 a.go", "read a.go:-1--1\n[read]"},
		{"nl -ba a.go | sed -n '3,9p'", "read a.go:3-9\n[read]"},
		{"cat a.go | head -30 | sed -n '10,20p'", "read a.go:10-20\n[read]"},
		{"cat a.go | grep -n foo", "search a.go «foo»\n[search]"},
		{"cat a.go | wc -l", "read a.go:-1--1\n[read]"},
		{"cat a.go > b.go", "write b.go\nedits b.go\n[write]"},
		{"awk '{print $1}' a.txt", "read a.txt:-1--1\n[read]"},
		{"cat ./a/../b.go 2>/dev/null", "read b.go\n[read]"},
		{"cat $FILE", "[]"},
		{"F=src/a.go; cat $F", "read src/a.go\n[read]"},
		{"for f in a.go b.go; do cat $f; done", "read a.go\nread b.go\n[read]"},
		// Working directory.
		{"cd /repo/src && cat a.go ../b.go", "read /repo/src/a.go\nread /repo/b.go\n[read]"},
		{"(cd sub && cat a) ; cat a", "read sub/a\nread a\n[read]"},
		{"git -C /repo grep -n foo lib", "search /repo/lib «foo»\n[search]"},
		// Searching.
		{"rg -n -i 'foo bar' src test", "search src «-i foo bar»\nsearch test «-i foo bar»\n[search]"},
		{"rg foo", "search . «foo»\n[search]"},
		{"grep -rn TODO src | head -20", "search src «TODO | head -20»\n[search]"},
		{"grep -rnA3 x .", "search . «-A=3 x»\n[search]"},
		{"grep -e a -e b f.txt", "search f.txt «a|b»\n[search]"},
		{"find . -name '*.py' -type f", "search . «-name *.py -type f»\n[search]"},
		{"find src", "list src\n[list]"},
		{"ls -la", "list . «-la»\n[list]"},
		{"tree pkg", "list pkg\n[list]"},
		// Fetching.
		{"curl -s https://example.com/x", "fetch https://example.com/x\n[fetch]"},
		{"curl -X POST -d '{}' https://example.com/x", "[run]"},
		{"gh api repos/o/r/pulls", "fetch gh api repos/o/r/pulls\n[fetch]"},
		{"git show HEAD:a.go", "fetch git show HEAD:a.go\n[fetch]"},
		{"gh pr checks 12", "[poll]"},
		{"gh run view 99 --log-failed", "fetch gh run view 99 --log-failed\n[fetch poll]"},
		// Kinds.
		{"go test ./... 2>&1 | tail -5", "[test]"},
		{"python -m pytest -q tests/test_a.py", "[test]"},
		{"uv run pytest", "[test]"},
		{"npm run build", "[build]"},
		{"npm test", "[test]"},
		{"bun run test:unit", "[test]"},
		{"make lint", "[build lint]"},
		{"mise run test", "[test]"},
		{"sudo timeout 30 nice -n 5 go build ./...", "[build]"},
		{"FOO=1 BAR=2 cargo test", "[test]"},
		{"./scripts/run-tests.sh", "[run test]"},
		{"git status --short", "[git]"},
		{"pip install x", "[install]"},
		{"sleep 5; ps aux", "[poll]"},
		{"node server.js", "[run]"},
		{"echo hi; cd x; true", "[]"},
		{"golangci-lint run ./...", "[lint]"},
		{"while true; do curl -s localhost:1; sleep 1; done", "fetch localhost:1\n[fetch poll]"},
		// Any file may change.
		{"git checkout main", "write \n[git write]"},
		{"gofmt -w .", "write \n[format write]"},
		{"gofmt -w a.go", "write a.go\n[format write]"},
		{"gofmt -l .", "[format]"},
		{"black --check .", "[format]"},
		{"ruff check --fix src/a.py", "write src/a.py\n[lint write]"},
		{"npx prettier --write .", "write \n[format write]"},
		{"go generate ./...", "write \n[build write]"},
		{"rg -l foo | xargs sed -i s/a/b/", "search . «-l foo | sed -i s/a/b/»\nwrite \n[search write]"},
		{"find . -name '*.go' -exec sed -i s/a/b/ {} \\;", "write \nsearch . «-name *.go -exec sed -i s/a/b/ {} ;»\n[search write]"},
		{"python -c 'open(\"a\",\"w\").write(\"x\")'", "write \n[run write]"},
		{"python - <<'EOF'\nprint(1)\nEOF", "[run]"},
		// Writing.
		{"cat > a.py <<'EOF'\nprint(1)\n$x\nEOF", "write a.py\ncontent a.py \"print(1)\\n$x\\n\" append=false\n[write]"},
		{"cat <<EOF >> a.txt\nv=$UNKNOWN\nEOF", "write a.txt\ncontent a.txt \"v=$UNKNOWN\\n\" append=true\n[write]"},
		{"cat <<'EOF' | tee -a conf/x.yml\na: 1\nEOF", "write conf/x.yml\ncontent conf/x.yml \"a: 1\\n\" append=true\n[write]"},
		{"echo 'KEY=1' > .env", "write .env\ncontent .env \"KEY=1\\n\" append=false\n[write]"},
		{"printf '%s\\n' hello >> f", "write f\ncontent f \"hello\\n\" append=true\n[write]"},
		{"go build > out.log 2>&1", "write out.log\nedits out.log\n[build write]"},
		{"ls > /dev/null", "[]"},
		{"sed -i 's/a/b/' x.go y.go", "write x.go\nwrite y.go\nedits x.go \"a\" to \"b\"\nedits y.go \"a\" to \"b\"\n[write]"},
		{`perl -pi -e 's/assert f\(x\) == 4/assert f(x)/' test_d.py`, "write test_d.py\nedits test_d.py \"assert f(x) == 4\" to \"assert f(x)\"\n[write]"},
		{`perl -i.bak -0777 -pe 's|a\.b|c|g; s/d/e/' x.go y.go`, "write x.go\nwrite y.go\nedits x.go \"a.b\\nd\" to \"c\\ne\"\nedits y.go \"a.b\\nd\" to \"c\\ne\"\n[write]"},
		{`ruby -pi -e 'gsub(/a/, "b")' x.rb`, "write x.rb\nedits x.rb\n[write]"},
		{`perl -ne 'print if /a/' x.go`, "[]"},
		{"sed -i '' -e 's/a/b/' x.go", "write x.go\nedits x.go \"a\" to \"b\"\n[write]"},
		{`sed -i '3,/end/s|^A=.*|A="x/y"|; 9d' x.go`, "write x.go\nedits x.go \"A=.*\" to \"A=\\\"x/y\\\"\"\n[write]"},
		{`sed -i -e '/^a/a\  b = 1' -e 's/\./\//g' x.go`, "write x.go\nedits x.go \".\" to \"b = 1\\n/\"\n[write]"},
		{`sed -i '5i first\nsecond' x.go`, "write x.go\nedits x.go \"\" to \"first\\nsecond\"\n[write]"},
		{"sed -i 's/open' x.go; sed -i 5d y.go", "write x.go\nwrite y.go\nedits x.go\nedits y.go\n[write]"},
		{"rm -f a.go", "write a.go\ndelete a.go\n[write]"},
		{"mv a.go b.go", "write a.go\nwrite b.go\n[write]"},
		{"git apply <<'EOF'\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nEOF", "write \npatch \"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n\"\n[git write]"},
		{"apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF", "patch \"*** Begin Patch\\n*** End Patch\\n\"\n[write]"},
		// Shells in shells.
		{`bash -lc 'cd /r && cat a && go test ./...'`, "read /r/a\n[read test]"},
		{`sh -c "rg foo lib"`, "search lib «foo»\n[search]"},
		{`ssh host cat /etc/passwd`, "[run]"},
		// Compound commands.
		{"if [ -f a ]; then cat a; else cat b; fi", "read a\nread b\n[read]"},
		{"cat a || cat b && cat c", "read a\nread b\nread c\n[read]"},
		{"", "[]"},
	}
	p := parser(t)
	for _, c := range cases {
		t.Run(c.command, func(t *testing.T) { require.Equal(t, c.want, describe(p.Parse(c.command))) })
	}
}

func TestParseInStartsInTheDirectory(t *testing.T) {
	require.Equal(t, "read /w/a\n[read]", describe(parser(t).ParseIn("/w", "cat a")))
}

func TestBrokenAndHugeInput(t *testing.T) {
	p := parser(t)
	require.True(t, p.Parse("cat a; echo 'open").Unparsed)
	require.True(t, p.Parse(strings.Repeat("(", 100_000)).Unparsed)
}

// A large here-document is the usual way to write a file: it counts though the
// line is over the limit.
func TestHugeHeredocIsRead(t *testing.T) {
	body := strings.Repeat("line of the file\n", 4000)
	e := parser(t).Parse("mkdir -p a && cat > a/b.py <<'EOF'\n" + body + "EOF\ncat a/b.py")
	require.False(t, e.Unparsed)
	require.Equal(t, []Write{{Path: "a/b.py", Content: body, Known: true}}, e.Writes)
	require.Equal(t, []string{"read", "write"}, e.Kinds)
}

func TestEffectsQuestions(t *testing.T) {
	e := parser(t).Parse("cat a && go test")
	require.True(t, e.Has("test"))
	require.True(t, e.Is("test", "read"))
	require.False(t, e.Is("read"))
	require.False(t, new(Effects).Is("read"))
}

func TestQueryIsCanonical(t *testing.T) {
	require.Equal(t, "-A=3 -i foo", Query([]string{"-i", "-A=3", "-i"}, "foo"))
}

func FuzzParse(f *testing.F) {
	f.Add("cd /x && cat a | head -3 > b; for i in 1 2; do sed -i s/a/$i/ c; done")
	f.Add("bash -c \"bash -c 'cat <<EOF | tee x\n${v:-y}\nEOF'\" && git apply <<'E'\nx\nE\nfind . -exec rm {} +")
	f.Add("tail -n +3 f; sed -n '1,$p' f; rg -A3 -- -x; echo ~root $((1+1)) `ls` {1..9} ${x/a/b}")
	p := parser(f)
	f.Fuzz(func(t *testing.T, command string) {
		e := p.Parse(command)
		require.LessOrEqual(t, len(e.Accesses), p.table.MaxItems)
		require.Equal(t, e, p.Parse(command), "deterministic")
	})
}

func BenchmarkParse(b *testing.B) {
	p := parser(b)
	b.ReportAllocs()
	for b.Loop() {
		p.Parse("cd /repo && grep -rn TODO src | head -20; sed -n '1,20p' a.py")
	}
}

// WP-4 asks where a commit happens.
func TestGitCalls(t *testing.T) {
	for command, want := range map[string][]GitCall{
		"git status":                              {{Subcommand: "status"}},
		"git commit -am 'one two'":                {{Subcommand: "commit", Arguments: []string{"-am", "one two"}}},
		"cd /w/a && git add . && git commit":      {{Subcommand: "add", Directory: "/w/a", Arguments: []string{"."}}, {Subcommand: "commit", Directory: "/w/a"}},
		"git -C ../b commit; git commit":          {{Subcommand: "commit", Directory: "../b"}, {Subcommand: "commit"}},
		"cd \"$WORKTREE\" && git commit":          {{Subcommand: "commit", Lost: true}},
		"git -C $X commit; git commit":            {{Subcommand: "commit", Lost: true}, {Subcommand: "commit"}},
		"cd; cd /w; git commit":                   {{Subcommand: "commit", Directory: "/w"}},
		"(cd $X && git add a); git commit":        {{Subcommand: "add", Lost: true, Arguments: []string{"a"}}, {Subcommand: "commit"}},
		"A=1 git commit":                          {{Subcommand: "commit"}},
		"env -C ../b git commit; git add a":       {{Subcommand: "commit", Directory: "../b"}, {Subcommand: "add", Arguments: []string{"a"}}},
		"env --chdir=../b git commit":             {{Subcommand: "commit", Directory: "../b"}},
		"bash -c 'git switch -c x && git commit'": {{Subcommand: "switch", Arguments: []string{"-c", "x"}}, {Subcommand: "commit"}},
		"git unheard-of; echo git commit":         nil,
	} {
		require.Equal(t, want, parser(t).Parse(command).Git, command)
	}
}
