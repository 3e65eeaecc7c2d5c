package sarif

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	format "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

// taxonomy is the name of the catalogue of weaknesses.
const taxonomy = "CWE"

// Rule describes a detector.
type Rule struct {
	ID, Name, Title string
	Doc             string // its documentation, in Markdown (SW-32)
	CWE             []int  // weaknesses that it looks for
	Severity        float64
	// Own marks a user's rule, which has no page in our documentation.
	Own bool
}

// catalogue numbers the rules and the weaknesses that results refer to.
type catalogue struct {
	rules []Rule
	index map[string]int // by id
	cwe   []int          // ascending
}

// newCatalogue returns a catalogue of the rules and, without descriptions, of any others that results refer
// to.
func newCatalogue(rules []Rule, found []finding) *catalogue {
	c := &catalogue{rules: slices.Clone(rules), index: map[string]int{}}
	weaknesses := map[int]bool{}
	for i, r := range c.rules {
		c.index[r.ID] = i
		for _, number := range r.CWE {
			weaknesses[number] = true
		}
	}
	for _, f := range found {
		if _, known := c.index[f.Detector]; !known {
			c.index[f.Detector] = len(c.rules)
			c.rules = append(c.rules, Rule{ID: f.Detector, Name: f.Detector, Title: f.Detector, Own: true})
		}
		if f.CWE > 0 {
			weaknesses[f.CWE] = true
		}
	}
	c.cwe = slices.Sorted(maps.Keys(weaknesses))
	return c
}

func (c *catalogue) driver(version string) *format.ToolComponent {
	driver := format.NewToolComponent()
	driver.Name, driver.InformationURI = pointer("scaffoldwatch"), pointer(homepage)
	if version != "" {
		driver.Version = pointer(version)
	}
	if len(c.cwe) > 0 {
		driver.SupportedTaxonomies = append(driver.SupportedTaxonomies, weaknessCatalogue())
	}
	for _, r := range c.rules {
		driver.Rules = append(driver.Rules, c.descriptor(r))
	}
	return driver
}

func weaknessCatalogue() *format.ToolComponentReference {
	reference := format.NewToolComponentReference()
	reference.Name, reference.Index = pointer(taxonomy), 0
	return reference
}

func (c *catalogue) descriptor(r Rule) *format.ReportingDescriptor {
	d := format.NewReportingDescriptor()
	d.ID, d.Name = pointer(r.ID), pointer(r.Name)
	d.ShortDescription = message(r.Title, "")
	d.FullDescription = message(cmp.Or(trigger(r.Doc), r.Title), "")
	doc := cmp.Or(strings.TrimSpace(r.Doc), r.Title)
	d.Help = message(doc, doc)
	if !r.Own {
		d.HelpURI = pointer(homepage + "/blob/main/docs/rules/" + r.ID + ".md")
	}
	d.Properties = format.NewPropertyBag()
	if r.Severity > 0 {
		d.Properties.Add("security-severity", strconv.FormatFloat(r.Severity, 'f', 1, 64)).AddTag("security")
	}
	for _, number := range r.CWE {
		d.Properties.AddTag("external/cwe/cwe-" + strconv.Itoa(number))
		relation := format.NewReportingDescriptorRelationship()
		relation.Target, relation.Kinds = c.weakness(number), []string{"relevant"}
		d.Relationships = append(d.Relationships, relation)
	}
	return d
}

// weakness returns a reference to an entry of the catalogue of weaknesses.
func (c *catalogue) weakness(number int) *format.ReportingDescriptorReference {
	reference := format.NewReportingDescriptorReference()
	reference.ID, reference.ToolComponent = pointer(strconv.Itoa(number)), weaknessCatalogue()
	reference.Index, _ = slices.BinarySearch(c.cwe, number)
	return reference
}

func (c *catalogue) taxonomies() []*format.ToolComponent {
	if len(c.cwe) == 0 {
		return []*format.ToolComponent{}
	}
	t := format.NewToolComponent()
	t.Name, t.Organization = pointer(taxonomy), pointer("MITRE")
	t.InformationURI = pointer("https://cwe.mitre.org/")
	t.ShortDescription = message("Common Weakness Enumeration", "")
	for _, number := range c.cwe {
		d := format.NewReportingDescriptor()
		d.ID = pointer(strconv.Itoa(number))
		d.Name = pointer("CWE-" + *d.ID)
		d.HelpURI = pointer("https://cwe.mitre.org/data/definitions/" + *d.ID + ".html")
		t.Taxa = append(t.Taxa, d)
	}
	return []*format.ToolComponent{t}
}

// trigger returns the first paragraph of the documentation's section on triggers.
func trigger(doc string) string {
	_, text, ok := strings.Cut(doc, "## Trigger")
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n\n")
	return strings.Join(strings.Fields(text), " ")
}

func message(text, markdown string) *format.MultiformatMessageString {
	m := format.NewMultiformatMessageString()
	m.Text = pointer(text)
	if markdown != "" {
		m.Markdown = pointer(markdown)
	}
	return m
}

// Kept is the largest number of results to write; code scanning accepts 25,000 per run and keeps 5,000, so
// it would drop the rest silently.
const Kept = 5000

// Schema is the official schema that the output refers to.
const Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// homepage describes the tool and its rules.
const homepage = "https://github.com/scaffoldwatch/scaffoldwatch"

// Options hold what the reports do not contain.
type Options struct {
	Version string // version of this program
	Rules   []Rule // the detectors that ran, in order
}

// Render writes the reports as one run, most urgent results first.
func Render(w io.Writer, o Options, models ...sessionreport.Model) error {
	log, err := json.MarshalIndent(build(o, models), "", "  ")
	if err != nil {
		return fmt.Errorf("write reports as SARIF: %w", err)
	}
	if _, err := w.Write(append(log, '\n')); err != nil {
		return fmt.Errorf("write reports as SARIF: %w", err)
	}
	return nil
}

func build(o Options, models []sessionreport.Model) *format.Report {
	found := collect(models)
	left := max(len(found)-Kept, 0)
	found = found[:len(found)-left]
	known := newCatalogue(o.Rules, found)
	run := format.NewRun()
	run.Tool = format.NewTool()
	run.Tool.Driver = known.driver(o.Version)
	run.Taxonomies = known.taxonomies()
	run.ColumnKind = pointer("unicodeCodePoints")
	run.OriginalUriBaseIds = map[string]format.ArtifactLocation{root: {
		Index: -1, Description: format.NewTextMessage("The folder that the agent worked in."),
	}}
	run.Invocations = []*format.Invocation{invocation(models, left)}
	for _, f := range found {
		run.Results = append(run.Results, known.result(f))
	}
	log := format.NewReport()
	log.Schema = Schema
	return log.AddRun(run)
}

// invocation lists what was not watched and what was left out, so that silence means something here too
// (DP-33).
func invocation(models []sessionreport.Model, left int) *format.Invocation {
	i := format.NewInvocation()
	i.ExecutionSuccessful = pointer(true)
	note := func(text string) {
		n := format.NewNotification()
		n.Message = format.NewTextMessage(text)
		i.ToolExecutionNotifications = append(i.ToolExecutionNotifications, n)
	}
	for _, m := range models {
		switch c := m.Coverage; {
		case c.Received == 0:
			note(fmt.Sprintf("Session %s was not watched: no turn was received.", m.Session.ID))
		case c.NotWatched > 0:
			note(fmt.Sprintf("Session %s was not watched in %d of %d turns.", m.Session.ID, c.NotWatched, c.Received+c.Skipped))
		case c.RefusedEvents > 0:
			note(fmt.Sprintf("Session %s was not completely watched: %d events were rejected.", m.Session.ID, c.RefusedEvents))
		}
	}
	if left > 0 {
		note(fmt.Sprintf("%d less urgent results are left out; %d are kept.", left, Kept))
	}
	return i
}

func pointer[T any](value T) *T { return &value }
