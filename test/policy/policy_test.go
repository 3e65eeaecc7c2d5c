package policy

import (
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func repository(t *testing.T) *tree {
	t.Helper()
	r, err := load()
	require.NoError(t, err)
	require.NotEmpty(t, r.files)
	return r
}

// room is a row of the table in ARCHITECTURE.md.
type room struct {
	row    int
	folder string
}

var (
	tableRow = regexp.MustCompile("(?m)^\\| ((?:`[a-z/]+`(?:, )?)+) \\|")
	quoted   = regexp.MustCompile("`([a-z/]+)`")
)

// house reads the rooms from ARCHITECTURE.md, lowest row first: a package may import its own row and those
// above it.
func house(t *testing.T) []room {
	t.Helper()
	top, err := root()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(top, "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## The house\n")
	require.True(t, found, "ARCHITECTURE.md has no section \"The house\"")
	section, _, _ = strings.Cut(section, "\n## ")
	var rooms []room
	for row, line := range tableRow.FindAllStringSubmatch(section, -1) {
		for _, name := range quoted.FindAllStringSubmatch(line[1], -1) {
			require.DirExists(t, filepath.Join(top, name[1]), "ARCHITECTURE.md names a room that there is not")
			rooms = append(rooms, room{row, name[1]})
		}
	}
	require.Greater(t, len(rooms), 20, "rows of the table in ARCHITECTURE.md")
	return rooms
}

// roomOf returns the room of a folder, the one with the longest name; nil if the table has none.
func roomOf(rooms []room, folder string) *room {
	var own *room
	for i, r := range rooms {
		if (folder == r.folder || strings.HasPrefix(folder, r.folder+"/")) && (own == nil || len(r.folder) > len(own.folder)) {
			own = &rooms[i]
		}
	}
	return own
}

func TestDependencyRule(t *testing.T) {
	rooms := house(t)
	for _, f := range repository(t).files {
		own := roomOf(rooms, f.folder)
		if own == nil {
			t.Errorf("%s lies in no room; give its folder a row of the table in ARCHITECTURE.md and say why in docs/adr", f.path)
			continue
		}
		if f.test {
			continue // a test may reach up to build what it needs
		}
		for _, i := range f.imports {
			folder, ours := strings.CutPrefix(i, module+"/")
			if !ours {
				continue
			}
			if other := roomOf(rooms, folder); other != nil && other.row > own.row {
				t.Errorf("%s (room %s) imports %s (room %s), which is below it in the table of ARCHITECTURE.md; "+
					"move the shared part up or pass it in as an argument", f.path, own.folder, folder, other.folder)
			}
			if isDetector(f.folder) && isDetector(folder) && f.folder != folder && !strings.HasPrefix(f.folder, "detectors/all") {
				t.Errorf("%s: a detector imports the detector %s; move what both need to internal/session/detect", f.path, folder)
			}
		}
	}
}

// viewMay are the rooms that what people read may import, beside itself: a report
// folds DECISIONS and asks no rule again.
var viewMay = []string{
	"internal/text", "pkg/events", "rules", "spec", "internal/analysis", "internal/step", "internal/control",
	"internal/view",
}

func TestViewsAskNoRules(t *testing.T) {
	views := 0
	for _, f := range repository(t).files {
		if f.test || !strings.HasPrefix(f.folder, "internal/view") {
			continue
		}
		views++
		for _, i := range f.imports {
			folder, ours := strings.CutPrefix(i, module+"/")
			if ours && !slices.ContainsFunc(viewMay, func(may string) bool { return folder == may || strings.HasPrefix(folder, may+"/") }) {
				t.Errorf("%s imports %s; emit what the report needs as an event when it is decided (run.judged) and fold it", f.path, folder)
			}
		}
	}
	require.NotZero(t, views)
}

func isDetector(folder string) bool { return strings.HasPrefix(folder, "detectors/") }

// banned imports of the pure core, each with what to do instead.
var banned = map[string]string{
	"os": "take the data as an argument", "os/exec": "take the data as an argument", "io/ioutil": "take the data as an argument",
	"net": "the core does no I/O", "net/http": "the core does no I/O",
	"log": "return a value; the edge logs", "log/slog": "return a value; the edge logs",
	"sync": "the core has no goroutines", "sync/atomic": "the core has no goroutines",
	"math/rand": "the core is deterministic", "math/rand/v2": "the core is deterministic", "crypto/rand": "the core is deterministic",
	"context": "a step is not cancelled; the edge bounds its time",
}

func TestPureCore(t *testing.T) {
	for _, f := range repository(t).files {
		if !f.pure() {
			continue
		}
		for _, i := range f.imports {
			if cure, bad := banned[i]; bad {
				t.Errorf("%s imports %s: %s", f.path, i, cure)
			}
			if strings.HasPrefix(i, "github.com/nats-io") {
				t.Errorf("%s imports %s: only internal/engine/nats and pkg/client know NATS", f.path, i)
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine; the core is a fold", f.path)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && (n.Sel.Name == "Now" || n.Sel.Name == "Since" || n.Sel.Name == "After" || n.Sel.Name == "Sleep" || n.Sel.Name == "Tick") {
					t.Errorf("%s calls time.%s; time comes in with the event (EV-9)", f.path, n.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestOnlyTheEdgeKnowsNATS(t *testing.T) {
	for _, f := range repository(t).files {
		allowed := f.test || strings.HasPrefix(f.folder, "internal/engine/nats") || f.folder == "pkg/client" || f.folder == "internal/edge/service/gates" || strings.HasPrefix(f.folder, "examples/") || strings.HasPrefix(f.folder, "test/")
		for _, i := range f.imports {
			if !allowed && (strings.HasPrefix(i, "github.com/nats-io/nats") || strings.HasPrefix(i, "github.com/synadia-io")) {
				t.Errorf("%s imports %s; go through internal/engine/nats", f.path, i)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, f := range repository(t).files {
		switch f.syntax.Name.Name {
		case "util", "utils", "common", "helpers", "helper", "misc":
			t.Errorf("%s: package %s; name it for what it holds", f.path, f.syntax.Name.Name)
		}
	}
}

func TestDocumented(t *testing.T) {
	documented := map[string]bool{}
	seen := map[string]string{}
	for _, f := range repository(t).files {
		if f.test {
			continue
		}
		seen[f.folder] = f.path
		documented[f.folder] = documented[f.folder] || f.syntax.Doc != nil
		for _, d := range f.syntax.Decls {
			for _, name := range undocumented(d, f.syntax.Name.Name) {
				t.Errorf("%s: %s has no doc comment; say what it is, its units, ranges and errors", f.path, name)
			}
		}
	}
	for folder, path := range seen {
		if !documented[folder] {
			t.Errorf("%s: package %s has no doc comment", path, folder)
		}
	}
}

// undocumented returns a declaration's exported names without a comment.
func undocumented(d ast.Decl, pkg string) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if pkg == "main" || !d.Name.IsExported() || d.Doc != nil || d.Recv != nil && !exportedReceiver(d.Recv) {
			return nil
		}
		return []string{d.Name.Name}
	case *ast.GenDecl:
		var names []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Names[0].Name)
				}
			}
		}
		return names
	}
	return nil
}

func exportedReceiver(list *ast.FieldList) bool {
	typ := list.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// A file is an idea: at most 700 lines, a function at most 80; a line has at most 120 columns.
const (
	mostLines   = 700
	mostBody    = 80
	mostColumns = 120
	// longLines are the lines over mostColumns that there still are. The number only falls.
	longLines = 7956
)

func TestSmallRooms(t *testing.T) {
	r := repository(t)
	top, err := root()
	require.NoError(t, err)
	long := 0
	for _, f := range r.files {
		if f.generated() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(top, f.path))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if utf8.RuneCountInString(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")) > mostColumns {
				long++
			}
		}
		if f.test {
			continue
		}
		if f.lines > mostLines {
			t.Errorf("%s has %d lines; divide it by idea", f.path, f.lines)
		}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if n := r.positions.Position(fn.End()).Line - r.positions.Position(fn.Pos()).Line + 1; n > mostBody {
				t.Errorf("%s: %s has %d lines; divide it by idea", f.path, fn.Name.Name, n)
			}
		}
	}
	t.Logf("%d lines are longer than %d columns", long, mostColumns)
	require.LessOrEqual(t, long, longLines, "lines longer than %d columns", mostColumns)
}

// mostMethods is how many methods a type has at most: one with more is several ideas.
const mostMethods = 25

// TestFewMethods holds methods.tsv to the types that have more than mostMethods. No type is added to it, and
// the numbers only fall.
func TestFewMethods(t *testing.T) {
	found := map[string]int{}
	for _, f := range repository(t).files {
		if f.test || f.generated() {
			continue
		}
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				found[f.folder+"."+receiver(fn)]++
			}
		}
	}
	maps.DeleteFunc(found, func(_ string, n int) bool { return n <= mostMethods })
	list, err := os.ReadFile("methods.tsv")
	require.NoError(t, err)
	for line := range strings.Lines(string(list)) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), "\t")
		most, err := strconv.Atoi(number)
		require.NoError(t, err, line)
		switch n := found[name]; {
		case n > most:
			t.Errorf("%s has %d methods, %d were allowed: give an idea of it a type of its own", name, n, most)
		case n == 0:
			t.Errorf("%s has no more than %d methods: take it out of methods.tsv", name, mostMethods)
		case n < most:
			t.Errorf("%s has only %d methods: write that down in methods.tsv, instead of %d", name, n, most)
		}
		delete(found, name)
	}
	for name, n := range found {
		t.Errorf("%s has %d methods, more than %d: give each of its ideas a type of its own", name, n, mostMethods)
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(fn *ast.FuncDecl) (name string) {
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// unfinished marks, and words that would leave this machine in a tracked file.
var (
	unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b|not impl` + `emented`)
	machine    = regexp.MustCompile(`(^|[^A-Za-z0-9_.])/(ro` + `ot|fa` + `rm)/|/work/(ma` + `in|sha` + `red)`)
)

func TestNothingUnfinishedOrLocal(t *testing.T) {
	top, err := root()
	require.NoError(t, err)
	for _, f := range repository(t).files {
		data, err := os.ReadFile(filepath.Join(top, f.path))
		require.NoError(t, err)
		for i, line := range strings.Split(string(data), "\n") {
			if !f.test && unfinished.MatchString(line) && !strings.Contains(line, `"`) && !strings.Contains(line, "`") {
				t.Errorf("%s:%d: unfinished mark: %s", f.path, i+1, strings.TrimSpace(line))
			}
			if machine.MatchString(line) {
				t.Errorf("%s:%d: a path of one machine: %s", f.path, i+1, strings.TrimSpace(line))
			}
		}
	}
}
