package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// page is docs/install.md with its blocks of code.
type page struct{ blocks []string }

func installPage(t *testing.T) page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "install.md"))
	require.NoError(t, err)
	var p page
	for _, found := range regexp.MustCompile("(?ms)^( *)```\\w+\n(.*?)^ *```$").FindAllStringSubmatch(string(text), -1) {
		p.blocks = append(p.blocks, regexp.MustCompile("(?m)^"+found[1]).ReplaceAllString(found[2], ""))
	}
	return p
}

// Every variable that the servers' configuration reads is on the page: without one no server starts.
func TestTheInstallPageHasEveryVariable(t *testing.T) {
	block := installPage(t).with(t, "NATS_SERVER_NAME=")
	named := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b([A-Z][A-Z_]*[A-Z])=`).FindAllStringSubmatch(block, -1) {
		named[name[1]] = true
	}
	for _, name := range regexp.MustCompile(`\b([A-Z]+)_(?:PASSWORD)?\b`).FindAllStringSubmatch(block, -1) {
		named[name[1]+"_PASSWORD"] = true // the comment's list: INGEST_PASSWORD, EVALUATOR_, …
	}
	wanted := map[string]bool{}
	for _, file := range []string{"nats.conf", "cluster.conf"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "nats", file))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			for _, name := range regexp.MustCompile(`: \$([A-Z][A-Z_]*)\b`).FindAllStringSubmatch(line, -1) {
				wanted[name[1]] = true
			}
		}
	}
	require.Greater(t, len(wanted), 15)
	for name := range wanted {
		require.True(t, named[name], "docs/install.md does not name %s", name)
	}
}

// with returns the block that holds a text.
func (p page) with(t *testing.T, text string) string {
	t.Helper()
	for _, block := range p.blocks {
		if strings.Contains(block, text) {
			return block
		}
	}
	t.Fatalf("docs/install.md has no block of code with %q", text)
	return ""
}

// unit holds the process settings of a unit in deploy/systemd.
type unit struct {
	command     []string
	environment []string
	files       []string // EnvironmentFile
	credentials map[string]string
	groups      []string
}

func readUnit(t *testing.T, name string) (u unit) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "systemd", "scaffoldwatch-"+name+".service"))
	require.NoError(t, err)
	u.credentials = map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
		switch key {
		case "ExecStart":
			u.command = strings.Fields(value)
		case "Environment":
			u.environment = append(u.environment, value)
		case "EnvironmentFile":
			u.files = append(u.files, value)
		case "LoadCredential":
			id, path, _ := strings.Cut(value, ":")
			u.credentials[id] = path
		case "SupplementaryGroups":
			u.groups = append(u.groups, value)
		}
	}
	return u
}

// variables reads a file of variables as systemd does: comments have lines of their own.
func variables(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// A variable that is set twice in a unit says two things, of which one is forgotten.
func TestUnitsSetAVariableOnce(t *testing.T) {
	for _, name := range []string{"ingest", "evaluator", "dispatcher", "reporter"} {
		u := readUnit(t, name)
		seen := map[string]bool{}
		for _, entry := range u.environment {
			key, _, _ := strings.Cut(entry, "=")
			require.False(t, seen[key], "%s sets %s twice", name, key)
			seen[key] = true
		}
		require.Contains(t, seen, "SCAFFOLDWATCH_SECURITY_SIGNING_SEED", "the shipped configuration signs (AU-3)")
	}
	reporter := strings.Join(readUnit(t, "reporter").environment, "\n")
	require.Contains(t, reporter, "SCAFFOLDWATCH_REPORTS_DATABASE=%S/")
	require.Contains(t, reporter, "SCAFFOLDWATCH_NOTIFY_OUTBOX=%S/")
}
