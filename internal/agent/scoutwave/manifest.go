package scoutwave

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// text is a scalar of any type, or a list of scalars joined on one line.
type text string

// UnmarshalYAML decodes any scalar as text; anything else is empty.
func (t *text) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		*t = text(n.Value)
	}
	return nil
}

// texts is a list of strings, or one string; objects contribute their main field.
type texts []string

// UnmarshalYAML decodes a list in the forms that people write.
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != "!!null" && strings.TrimSpace(n.Value) != "" {
			*t = texts{n.Value}
		}
	case yaml.SequenceNode:
		for _, one := range n.Content {
			if one.Kind == yaml.ScalarNode {
				*t = append(*t, one.Value)
				continue
			}
			for i := 0; i+1 < len(one.Content); i += 2 {
				if slices.Contains([]string{"file", "path", "name", "description"}, one.Content[i].Value) {
					*t = append(*t, one.Content[i+1].Value)
					break
				}
			}
		}
	}
	return nil
}

// manifest holds the part of the YAML form that is judged.
type manifest struct {
	Title       text       `yaml:"title"`
	Slug        text       `yaml:"feature_slug"`
	Feature     text       `yaml:"feature"`
	Repository  text       `yaml:"repository"`
	Verdict     text       `yaml:"verdict"`
	Ownership   []owned    `yaml:"file_ownership"`
	Scaffolds   []scaffold `yaml:"scaffolds"`
	Waves       []wave     `yaml:"waves"`
	Completions yaml.Node  `yaml:"completion_reports"`
	Critic      *critic    `yaml:"critic_report"`
}

type owned struct {
	File  text `yaml:"file"`
	Agent text `yaml:"agent"`
	Wave  text `yaml:"wave"`
	Repo  text `yaml:"repo"`
}

type scaffold struct {
	File   text `yaml:"file"`
	Path   text `yaml:"file_path"`
	Status text `yaml:"status"`
	Commit text `yaml:"commit"`
}

type wave struct {
	Number text `yaml:"number"`
	Type   text `yaml:"type"`
	Agents []struct {
		ID    text  `yaml:"id"`
		Files texts `yaml:"files"`
	} `yaml:"agents"`
}

type completion struct {
	Status     text  `yaml:"status"`
	Failure    text  `yaml:"failure_type"`
	Repo       text  `yaml:"repo"`
	Worktree   text  `yaml:"worktree"`
	Branch     text  `yaml:"branch"`
	Commit     text  `yaml:"commit"`
	Changed    texts `yaml:"files_changed"`
	Created    texts `yaml:"files_created"`
	Deviations texts `yaml:"interface_deviations"`
	Tests      texts `yaml:"tests_added"`
	Verified   text  `yaml:"verification"`
	Notes      text  `yaml:"notes"`
}

type critic struct {
	Verdict text `yaml:"verdict"`
	Summary text `yaml:"summary"`
	Agents  map[string]struct {
		Issues []struct {
			Check       text `yaml:"check"`
			Severity    text `yaml:"severity"`
			Description text `yaml:"description"`
			File        text `yaml:"file"`
		} `yaml:"issues"`
	} `yaml:"agent_reviews"`
}

// unjudged are parts of a manifest that are recognised and have no effect here.
var unjudged = []string{
	"quality_gates", "interface_contracts", "reactions", "wiring", "integration_connectors", "stub_reports", "pre_mortem", "known_issues",
	"post_merge_checklist", "integration_reports", "program",
}

// readManifest parses the YAML form. It fails for what it cannot parse, because a document that is half
// read would be judged by half of its owners.
func readManifest(source string) (*document, error) {
	var m manifest
	d := newDocument()
	if err := yaml.Unmarshal([]byte(source), &m); err != nil {
		var wrong *yaml.TypeError
		if !errors.As(err, &wrong) {
			return nil, fmt.Errorf("the manifest is not valid YAML: %s", place(err))
		}
		d.problem("%d entries of the manifest are of another type than expected; they are left out", len(wrong.Errors))
	}
	d.slug, d.title, d.repository = string(m.Slug), string(m.Title), string(m.Repository)
	if d.title == "" {
		d.title = string(m.Feature)
	}
	if d.verdict = verdictOf(string(m.Verdict)); d.verdict == "" && m.Verdict != "" {
		d.problem("the verdict is unknown")
	}
	integration := m.waves(d)
	for _, o := range m.Ownership {
		n := number(string(o.Wave))
		if integration[n] {
			continue // wired on main by a role other than wave agents
		}
		file := string(o.File)
		if o.Repo != "" {
			file, d.repos = inRepository(string(o.Repo), file), true
		}
		found := letters(string(o.Agent))
		for _, letter := range found {
			d.owns(n, letter, file)
		}
		if len(found) == 0 && o.File != "" {
			d.note("owner other than a wave agent")
		}
	}
	for _, s := range m.Scaffolds {
		d.scaffold(first(s.File, s.Path), string(s.Status), string(s.Commit))
	}
	m.reports(d)
	d.review(m.Critic)
	for _, part := range unjudged {
		if strings.HasPrefix(source, part+":") || strings.Contains(source, "\n"+part+":") {
			d.note(part)
		}
	}
	return d, nil
}

// place returns where YAML is broken, without its content.
func place(err error) string {
	message := err.Error()
	if i := strings.Index(message, "line "); i >= 0 {
		if j := strings.IndexByte(message[i:], ':'); j > 0 {
			return message[i : i+j]
		}
	}
	return "it breaks off"
}

func first(list ...text) string {
	for _, t := range list {
		if t != "" {
			return string(t)
		}
	}
	return ""
}

// waves reads waves with their agents, and returns the numbers of those that only wire.
func (m *manifest) waves(d *document) map[int]bool {
	integration := map[int]bool{}
	for _, w := range m.Waves {
		n := number(string(w.Number))
		if strings.EqualFold(string(w.Type), "integration") {
			integration[n] = true
			d.note("integration wave")
			continue
		}
		for _, a := range w.Agents {
			for _, letter := range letters(string(a.ID)) {
				d.join(n, letter)
				for _, file := range a.Files {
					d.owns(n, letter, file)
				}
			}
		}
	}
	return integration
}

// reports reads the completion reports, a map by agent or a list.
func (m *manifest) reports(d *document) {
	for i := 0; m.Completions.Kind == yaml.MappingNode && i+1 < len(m.Completions.Content); i += 2 {
		var c completion
		if m.Completions.Content[i+1].Decode(&c) != nil {
			d.problem("a completion report cannot be read")
			continue
		}
		name := m.Completions.Content[i].Value
		r := c.report()
		r.place(name)
		if found := letters(name); len(found) == 1 {
			r.letter = found[0]
		}
		d.report(r)
	}
}

func (c *completion) report() report {
	r := report{
		status: string(c.Status), failure: string(c.Failure), commit: string(c.Commit), verified: string(c.Verified),
		changed: c.Changed, created: c.Created, tests: c.Tests, deviations: len(c.Deviations), notes: string(c.Notes), repo: string(c.Repo),
	}
	r.place(string(c.Branch))
	r.place(string(c.Worktree))
	return r
}

// report keeps a completion report that names its agent.
func (d *document) report(r report) {
	if r.letter == "" {
		d.problem("a completion report names no wave agent")
		return
	}
	if len(d.reports) >= maxReports {
		d.problem("there are more than %d completion reports; the others are left out", maxReports)
		return
	}
	if r.wave == 0 {
		r.wave = d.waveOf(r.letter)
	}
	if d.repos {
		r.inRepository(d)
	}
	d.reports = append(d.reports, r)
}

func (d *document) scaffold(file, status, commit string) {
	file = cleanFile(file)
	if file == "" || len(d.scaffolds) >= maxFiles {
		return
	}
	status = clip(strings.Trim(status, "`* "), 200)
	if commit != "" && strings.EqualFold(status, "committed") {
		status = "committed (" + clip(commit, 64) + ")"
	}
	d.scaffolds = append(d.scaffolds, runevents.Scaffold{File: file, Status: status})
}

// review turns the critic's report into a review (E37).
func (d *document) review(c *critic) {
	if c == nil || c.Verdict == "" || strings.EqualFold(string(c.Verdict), "SKIPPED") {
		return
	}
	d.critic = &runevents.ReviewCompleted{Reviewer: "critic", Verdict: "approved"}
	if !strings.EqualFold(string(c.Verdict), "PASS") {
		d.critic.Verdict = "rejected"
	}
	for _, agent := range sorted(c.Agents) {
		for _, issue := range c.Agents[agent].Issues {
			if len(d.critic.Findings) >= maxReports {
				return
			}
			severity := runevents.SeverityWarning
			if strings.EqualFold(string(issue.Severity), "error") {
				severity = runevents.SeverityCritical
			}
			d.critic.Findings = append(d.critic.Findings, runevents.Finding{
				Severity: severity, Category: clip(string(issue.Check),
					100), File: cleanFile(string(issue.File)), Text: clip("Agent "+agent+": "+string(issue.Description), maxText),
			})
		}
	}
}

func (d *document) problem(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(d.problems, text) {
		d.problems = append(d.problems, text)
	}
}

func (d *document) note(kind string) { d.noted = append(d.noted, kind) }
