package sarif

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	format "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
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
