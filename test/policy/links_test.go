package policy

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// heavy are dependencies that cost megabytes or milliseconds, each with why only
// some programs may link it.
var heavy = map[string]string{
	"github.com/tree-sitter/":               "grammars: only what cuts segments and runs detectors needs them (internal/analysis/syntax)",
	"github.com/zricethezav/gitleaks":       "secret rules: only a test needs it, which writes them into a table (internal/analysis/secrets); a fingerprint is in internal/analysis/secrets/fingerprint",
	"github.com/wasilibs/go-re2":            "RE2: only where turns are cut and judged (internal/analysis/pattern/re2); the standard library finds the same in short texts",
	"github.com/expr-lang/expr":             "users' rules: only the evaluator's detectors need them (internal/session/userrules)",
	"mvdan.cc/sh":                           "shell parser: only segments and the preflight need it (internal/analysis/shell)",
	"modernc.org/sqlite":                    "read model: only the reporter and the command line read it (internal/view/readmodel)",
	"github.com/nats-io/nats-server":        "embedded broker: only `scaffoldwatch up` runs one (internal/engine/nats/embedded)",
	"github.com/nicholas-fedor/shoutrrr":    "chat channels: only the reporter sends notices (internal/notify)",
	"github.com/owenrumney/go-sarif":        "SARIF: only the command line renders it (internal/view/sarif)",
	"charm.land/lipgloss":                   "terminal styles: only the command line prints to one (internal/edge/terminal)",
	"github.com/santhosh-tekuri/jsonschema": "contracts of artifacts: only the dispatcher checks them (internal/analysis/contract)",
	"github.com/anthropics/":                "client of a provider: only cmd/advisor links them, and `up` asks through it (internal/edge/advisor/models)",
	"github.com/openai/":                    "client of a provider: only cmd/advisor links them, and `up` asks through it (internal/edge/advisor/models)",
	"github.com/alecthomas/kong":            "command line parser: only cmd/scaffoldwatch has commands",
	module + "/detectors":                   "detectors: only the evaluator, and ingest for its preflight, run them (internal/machines)",
	module + "/internal/agent/transcript":   "transcript formats: only ingest and the command line read them",
}

// programs are the services with the heavy dependencies they need.
var programs = map[string][]string{
	"dispatcher": {"github.com/santhosh-tekuri/jsonschema"},
	"reporter":   {"modernc.org/sqlite", "github.com/nicholas-fedor/shoutrrr"},
	"advisor":    {"github.com/anthropics/", "github.com/openai/"},
	"evaluator": {
		"github.com/tree-sitter/", "github.com/wasilibs/go-re2", "github.com/expr-lang/expr", "mvdan.cc/sh", module + "/detectors",
	},
	"ingest": {
		"github.com/tree-sitter/", "github.com/wasilibs/go-re2", "github.com/expr-lang/expr", "mvdan.cc/sh", module + "/detectors",
		module + "/internal/agent/transcript",
	},
}

// Each service links what it needs and nothing else that is heavy.
func TestServicesLinkWhatTheyNeed(t *testing.T) {
	for program, needs := range programs {
		t.Run(program, func(t *testing.T) {
			for _, dependency := range dependencies(t, "./cmd/"+program) {
				for prefix, why := range heavy {
					if !strings.HasPrefix(dependency, prefix) || has(needs, prefix) {
						continue
					}
					t.Errorf("cmd/%s links %s\n%s\nfind the import with `go list -deps -json ./cmd/%s`; pass the part in from the caller, or split the package that imports it",
						program, dependency, why, program)
				}
			}
		})
	}
}

// What a program is declared to need, it links; the list does not grow stale.
func TestNeedsAreReal(t *testing.T) {
	for program, needs := range programs {
		linked := dependencies(t, "./cmd/"+program)
		for _, prefix := range needs {
			found := false
			for _, dependency := range linked {
				found = found || strings.HasPrefix(dependency, prefix)
			}
			if !found {
				t.Errorf("cmd/%s no longer links %s; take it out of the list in test/policy/links_test.go", program, prefix)
			}
		}
	}
}

func has(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}

// dependencies returns all packages that a program links.
func dependencies(t *testing.T, program string) []string {
	t.Helper()
	top, err := root()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "go", "list", "-tags", "gore2regex", "-deps", program)
	command.Dir = top
	out, err := command.Output()
	require.NoError(t, err)
	list := strings.Fields(string(out))
	require.Greater(t, len(list), 100)
	return list
}
