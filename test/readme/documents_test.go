package readme

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/ralph"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	require.NoError(t, err)
	return string(text)
}

// rows returns the cells of the table below a heading, without the head.
func rows(t *testing.T, text, heading string) [][]string {
	t.Helper()
	_, text, found := strings.Cut("\n"+text, "\n"+heading+"\n")
	require.True(t, found, "no heading %q", heading)
	if section, _, more := strings.Cut(text, "\n## "); more {
		text = section
	}
	var table [][]string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		table = append(table, cells)
	}
	require.NotEmpty(t, table, "no table below %q", heading)
	return table
}

func code(cell string) string { return strings.Trim(cell, "`") }

func TestEveryConfigurationKeyIsDocumentedWithItsDefault(t *testing.T) {
	defaults := map[string]string{}
	var walk func(v reflect.Value, prefix string)
	walk = func(v reflect.Value, prefix string) {
		for i := range v.NumField() {
			key := prefix + v.Type().Field(i).Tag.Get("koanf")
			switch f := v.Field(i); f.Kind() {
			case reflect.Struct:
				walk(f, key+".")
			case reflect.Slice:
				var each []string
				for j := range f.Len() {
					each = append(each, fmt.Sprint(f.Index(j).Interface()))
				}
				defaults[key] = strings.Join(each, ",")
			default:
				defaults[key] = fmt.Sprint(f.Interface())
			}
		}
	}
	walk(reflect.ValueOf(config.Default()), "")
	var documented []string
	for _, row := range rows(t, document(t, "operations.md"), "## Configuration") {
		key, value := code(row[0]), code(row[1])
		documented = append(documented, key)
		if d, err := time.ParseDuration(value); err == nil && value != "0" { // a number may also be 0
			value = d.String()
		}
		require.Equal(t, defaults[key], value, "default of %s", key)
	}
	slices.Sort(documented)
	require.Equal(t, config.Keys(), documented)
}

func TestEveryMetricIsDocumented(t *testing.T) {
	var want, have []string
	for _, m := range obs.Catalogue() {
		want = append(want, m.Name)
	}
	for _, row := range rows(t, document(t, "operations.md"), "## Metrics") {
		have = append(have, code(row[0]))
	}
	require.NotEmpty(t, want)
	require.ElementsMatch(t, want, have)
}

func TestEveryEventIsDocumentedWithItsSender(t *testing.T) {
	text := document(t, "events.md")
	_, who, _ := strings.Cut(text, "\n## Who sends what\n")
	who, _, _ = strings.Cut(who, "\n## ")
	senders := map[events.Role]string{
		events.RolePublisher: "Publishers:", events.RoleInfra: "Infrastructure:", events.RoleOperator: "Operators:",
		events.RoleTimers: "The broker,", events.RoleReporter: "The reporter:", "service:advisor": "The services emit:", events.RoleIngest: "The services emit:", events.RoleEvaluator: "The services emit:", events.RoleDispatcher: "The services emit:",
	}
	for _, d := range events.All() {
		sender, known := senders[d.Role]
		require.True(t, known, "%s", d.Role)
		_, part, found := strings.Cut(who, sender)
		require.True(t, found)
		for _, other := range senders {
			if before, _, more := strings.Cut(part, "\n"+other); more {
				part = before
			}
		}
		require.Contains(t, part, "`"+string(d.Type)+"`", "%s belongs below %q", d.Type, sender)
	}
}

// TestRulesFileExamplesLoad builds the whole core with each example, and with
// all of them.
func TestRulesFileExamplesLoad(t *testing.T) {
	found, err := blocks(filepath.Join("..", "..", "docs", "rules-file.md"), "yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(found), 4)
	var all strings.Builder
	for _, b := range found {
		all.WriteString(b.text)
	}
	standard, err := deployment.LoadRules("")
	require.NoError(t, err)
	texts := []string{all.String()}
	for _, b := range found {
		texts = append(texts, b.text)
	}
	for _, text := range texts {
		path := filepath.Join(t.TempDir(), "ours.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		set, err := deployment.LoadRules(path)
		require.NoError(t, err, "%s", text)
		_, err = machines.New(machines.Options{Rules: set})
		require.NoError(t, err, "%s", text)
		_, err = notice.LoadWords(set)
		require.NoError(t, err, "%s", text)
		_, err = runreport.LoadSettings(set)
		require.NoError(t, err, "%s", text)
		_, err = ralph.Load(set)
		require.NoError(t, err, "%s", text)
		require.NotEqual(t, standard.Hash(), set.Hash())
	}
}

// There is an example for every section of run watch.
func TestRulesFileExamplesAreWhole(t *testing.T) {
	found, err := blocks(filepath.Join("..", "..", "docs", "rules-file.md"), "yaml")
	require.NoError(t, err)
	var all strings.Builder
	for _, b := range found {
		all.WriteString("\n" + b.text)
	}
	for _, section := range []string{"shadow", "run", "govern", "wave", "pipeline", "intent", "ambiguity", "loops", "hours", "notify", "runreport", "warrant"} {
		require.Contains(t, all.String(), "\n"+section+":\n")
	}
}

// What is wrong about a run's rules is reported with file, line and remedy, as documented.
func TestRefusedRunRulesAreNamedSo(t *testing.T) {
	shown, err := blocks(filepath.Join("..", "..", "docs", "rules-file.md"), "text")
	require.NoError(t, err)
	require.Len(t, shown, 2)
	lines := strings.Split(strings.TrimSpace(shown[1].text), "\n")
	wrong := []string{
		"run:\n  failures: {agents: 0}\n",
		"pipeline:\n  handover: {on_partial: maybe}\n",
		"wave:\n  mainbranches: [main]\n",
		"run:\n  checkpoint: {every: soon}\n",
	}
	require.Len(t, lines, len(wrong))
	t.Chdir(t.TempDir())
	for i, text := range wrong {
		require.NoError(t, os.WriteFile("ours.yaml", []byte(text), 0o600))
		set, err := deployment.LoadRules("ours.yaml")
		if err == nil {
			_, err = machines.New(machines.Options{Rules: set})
		}
		require.ErrorContains(t, err, lines[i])
	}
}

// TestDocumentedOutputIsReal compares what docs/scan.md shows with what scan says.
func TestDocumentedOutputIsReal(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	d := newDesk(t)
	shown, err := blocks(filepath.Join("..", "..", "docs", "scan.md"), "text")
	require.NoError(t, err)
	require.Len(t, shown, 2)
	out, code := d.shell("scaffoldwatch scan session.jsonl")
	require.Equal(t, 0, code, out)
	require.Contains(t, out, shown[0].text)
	out, code = d.shell("scaffoldwatch scan examples/archeflow/.archeflow")
	require.Equal(t, 0, code, out)
	require.Contains(t, out, shown[1].text)

	require.NoError(t, os.WriteFile(filepath.Join(d.folder, "ours.yaml"), []byte("refetch:\n  windowturns: 6\n"), 0o600))
	shown, err = blocks(filepath.Join("..", "..", "docs", "rules-file.md"), "text")
	require.NoError(t, err)
	out, code = d.shell("scaffoldwatch scan session.jsonl --rules ours.yaml")
	require.Equal(t, 2, code)
	require.Contains(t, out, strings.TrimSpace(shown[0].text))
}

func TestDocumentedMistakesAreNamedSo(t *testing.T) {
	shown, err := blocks(filepath.Join("..", "..", "docs", "operations.md"), "text")
	require.NoError(t, err)
	require.Len(t, shown, 1)
	lines := strings.Split(strings.TrimSpace(shown[0].text), "\n")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("scaffoldwatch.yaml", []byte("nats:\n  ulr: x\n"), 0o600))
	for i, source := range []config.Sources{
		{File: "scaffoldwatch.yaml"},
		{Environ: []string{"SCAFFOLDWATCH_STREAMS_PARTITIONS=0"}},
		{Environ: []string{"SCAFFOLDWATCH_NATS_ULR=x"}},
	} {
		_, err := config.Load(source)
		require.EqualError(t, err, lines[i])
	}
}

// TestLinksLeadSomewhere follows every relative link of the documentation.
func TestLinksLeadSomewhere(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	agents, err := filepath.Glob(filepath.Join(root, "docs", "agents", "*.md"))
	require.NoError(t, err)
	pages = append(pages, agents...)
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} {
		pages = append(pages, filepath.Join(root, name))
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchors := func(text []byte) (list []string) {
		for _, m := range heading.FindAllSubmatch(text, -1) {
			name := bytes.ToLower(regexp.MustCompile(`[^\w\s-]`).ReplaceAll(m[1], nil))
			list = append(list, string(bytes.ReplaceAll(name, []byte(" "), []byte("-"))))
		}
		return list
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(string(m[1]), "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := filepath.Join(filepath.Dir(page), target)
			if target == "" {
				path = page
			}
			_, err = os.Stat(path)
			require.NoError(t, err, "%s links to %s", page, m[1])
			if anchor != "" {
				linked, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Contains(t, anchors(linked), anchor, "%s links to %s", page, m[1])
			}
		}
	}
}
