package archeflow

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// maxArtifact limits how much of one artifact is read, in bytes (EV-3).
const maxArtifact = 1 << 20

// tree is the .archeflow folder, nil if only the log exists.
type tree struct{ fs fs.FS }

// artifacts are the files that belong to one run.
type artifacts struct {
	tree tree
	run  string // "" if its name cannot be a folder's
}

// folderName matches the run ids that ArcheFlow accepts; a hostile log must not lead anywhere else.
var folderName = pattern.Must(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

func (t tree) of(run string) artifacts {
	if !folderName.MatchString(run) || strings.Contains(run, "..") {
		run = ""
	}
	return artifacts{t, run}
}

// read returns the first file that exists, cut at maxArtifact.
func (t tree) read(names ...string) (string, bool) {
	if t.fs == nil {
		return "", false
	}
	for _, name := range names {
		text, err := readSome(t.fs, name)
		if err == nil {
			return text, true
		}
	}
	return "", false
}

func readSome(from fs.FS, name string) (string, error) {
	file, err := from.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, fs.ErrNotExist)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxArtifact))
	return strings.TrimPrefix(text.Valid(string(data)), "\uFEFF"), err
}

// places returns where a file of the run may be: with the artifacts of a cycle once that is archived, with
// those of the run, or next to a copied log.
func (a artifacts) places(cycle int, file string) []string {
	if a.run == "" {
		return nil
	}
	home := path.Join("artifacts", a.run)
	return []string{
		path.Join(home, "cycle-"+strconv.Itoa(cycle), file), path.Join(home, file), path.Join(a.run, file), path.Join("runs", a.run, file), path.Join("events", file),
	}
}

// errDamaged is returned if an artifact exists but does not hold a list of findings, which is different
// from an empty list.
var errDamaged = errors.New("does not contain a list of findings")

// findings returns the content of findings-cycle-<N>.json; ok reports whether the file exists.
func (a artifacts) findings(cycle int) (list []runevents.Finding, ok bool, err error) {
	text, ok := a.tree.read(a.places(cycle, "findings-cycle-"+strconv.Itoa(cycle)+".json")...)
	if !ok {
		return nil, false, nil
	}
	var all []json.RawMessage
	if json.Unmarshal([]byte(text), &all) != nil {
		var inside struct {
			Findings []json.RawMessage `json:"findings"`
		}
		_ = json.Unmarshal([]byte(text), &inside) // another shape leaves it nil
		all = inside.Findings
	}
	list = readFindings(all)
	if all == nil || len(list) == 0 && len(all) > 0 {
		return nil, true, errDamaged
	}
	return list, true, nil
}

// score returns the score in convergence-cycle-<N>.json, nil if it is absent or null (RW-31).
func (a artifacts) score(cycle int) *float64 {
	n := strconv.Itoa(cycle)
	text, ok := a.tree.read(append(a.places(cycle, "convergence-cycle-"+n+".json"), a.archived(cycle, "convergence.json")...)...)
	if !ok {
		return nil
	}
	var s score
	_ = json.Unmarshal([]byte(text), &s)
	return s.value
}

func (a artifacts) archived(cycle int, file string) []string {
	if a.run == "" {
		return nil
	}
	return []string{path.Join("artifacts", a.run, "cycle-"+strconv.Itoa(cycle), file)}
}

// output returns what an agent wrote: the first text among the artifacts that its line names, or else the
// artifact under ArcheFlow's naming scheme. It does not use the line's summary, which would be judged for
// what it leaves out. Promised reports whether the line names such a text.
func (a artifacts) output(f *fields, phase, role string, cycle int) (text string, ok, promised bool) {
	names := append([]string(nil), f.Artifacts...)
	if phase != "" && role != "" {
		names = append(names, phase+"-"+role+".md")
	}
	for i, name := range names {
		base := path.Base(strings.ReplaceAll(name, `\`, "/"))
		if !folderName.MatchString(base) || path.Ext(base) != ".md" {
			continue
		}
		if text, ok := a.tree.read(a.places(cycle, base)...); ok {
			return text, true, promised
		}
		promised = promised || i < len(f.Artifacts)
	}
	return "", false, promised
}

// work adds what, according to ArcheFlow's integration, the Maker changed.
func (a artifacts) work(data *runevents.AgentCompleted, cycle int) {
	if text, ok := a.tree.read(a.places(cycle, "do-maker-files.txt")...); ok && len(data.FilesChanged) == 0 {
		for _, line := range strings.Split(text, "\n") {
			if line = strings.TrimSpace(line); line != "" && len(data.FilesChanged) < maxFindings {
				data.FilesChanged = append(data.FilesChanged, line)
			}
		}
	}
	if text, ok := a.tree.read(a.places(cycle, "do-maker.diff")...); ok && len(text) < maxArtifact {
		n := changed(text)
		data.DiffLines = &n
	}
}

// changed counts the added and removed lines of a diff.
func changed(diff string) (n int) {
	for _, line := range strings.Split(diff, "\n") {
		added := strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++ ")
		removed := strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "--- ")
		if added || removed {
			n++
		}
	}
	return n
}

// budget returns the money that a run may spend, from its start or else from costs.budget_usd of the
// project's configuration; 0 for no limit.
func (a artifacts) budget(f *fields) float64 {
	if f.Budget > 0 {
		return float64(f.Budget)
	}
	var given struct {
		Costs struct {
			Budget loose.Amount `json:"budget_usd"`
		} `json:"costs"`
		Budget loose.Amount `json:"budget_usd"`
	}
	if len(f.Config) > 0 {
		_ = json.Unmarshal(f.Config, &given)
	}
	if v := max(given.Costs.Budget, given.Budget); v > 0 {
		return float64(v)
	}
	text, ok := a.tree.read("config.yaml")
	if !ok {
		return 0
	}
	var config struct {
		Costs struct {
			Budget any `yaml:"budget_usd"`
		} `yaml:"costs"`
	}
	if yaml.Unmarshal([]byte(text), &config) != nil || config.Costs.Budget == nil {
		return 0
	}
	raw, err := json.Marshal(config.Costs.Budget)
	if err != nil {
		return 0
	}
	var limit loose.Amount
	_ = limit.UnmarshalJSON(raw)
	return float64(limit)
}
