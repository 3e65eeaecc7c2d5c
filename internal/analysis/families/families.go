// Package families knows libraries that do the same job (rules/families.yaml): the family
// that an import, a manifest's package or a spoken name belongs to, and which members may
// legitimately be used together (A2).
package families

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Family is one job and the ways to do it.
type Family struct {
	ID       string     `yaml:"id"`
	Noun     string     `yaml:"noun"` // "HTTP client"
	Topics   []string   `yaml:"topics"`
	Wrappers []string   `yaml:"wrappers"`
	InTests  bool       `yaml:"in_tests"` // its members are used in tests
	Members  []*Member  `yaml:"members"`
	Together [][]string `yaml:"together"`
	// RawInferred is how its raw members are handled against a member that is only
	// inferred to be established: "queue", "log" or nothing.
	RawInferred string `yaml:"raw_inferred" allow:"queue|log"`
}

// Member is one way to do the job.
type Member struct {
	Name     string   `yaml:"name"`
	Language string   `yaml:"language"`
	Imports  []string `yaml:"imports"`
	// Packages are its names in manifests; if nil, Imports are.
	Packages []string `yaml:"packages"`
	Calls    []string `yaml:"calls"`
	Said     []string `yaml:"said"`
	Files    []string `yaml:"files"`    // whose presence shows that it is used
	Commands []string `yaml:"commands"` // shell commands that use it
	Raw      bool     `yaml:"raw"`

	family *Family
}

// Family returns the family that a member belongs to.
func (m *Member) Family() *Family { return m.family }

// Key returns the permanent name of a member: "family/name".
func (m *Member) Key() string { return m.family.ID + "/" + m.Name }

// Spoken returns the name without the part that only distinguishes languages: "bcrypt
// (Go)" → "bcrypt".
func (m *Member) Spoken() string {
	name, _, _ := strings.Cut(m.Name, " (")
	return name
}

// Beside reports whether two members may legitimately be used together.
func (m *Member) Beside(other *Member) bool {
	return slices.ContainsFunc(m.family.Together, func(group []string) bool {
		return slices.Contains(group, m.Name) && slices.Contains(group, other.Name)
	})
}

// Rivals reports whether two members do the same job in the same language.
func (m *Member) Rivals(other *Member) bool {
	return m != other && m.family == other.family && m.Language == other.Language && !m.Beside(other)
}

// Catalogue is the indexed section families. It does not change.
type Catalogue struct {
	Families []*Family
	byID     map[string]*Family
	common   map[string]bool // names that are ordinary words
	keys     map[string]*Member
	imports  map[string][]*Member // language and module
	packages map[string][]*Member // language and package
	names    map[string][]*Member // spoken names, folded
	topics   []topic              // longest first
	wrappers []topic
	files    map[string]*Member
}

// Load reads the section families of rule data.
func Load(set *rules.Set) (*Catalogue, error) {
	var section struct {
		Families []*Family `yaml:"families"`
		Common   []string  `yaml:"common"`
	}
	if err := set.Decode("families", &section); err != nil {
		return nil, fmt.Errorf("load library families: %w", err)
	}
	c := &Catalogue{
		Families: section.Families, byID: map[string]*Family{}, common: map[string]bool{}, keys: map[string]*Member{}, imports: map[string][]*Member{},
		packages: map[string][]*Member{}, names: map[string][]*Member{}, files: map[string]*Member{},
	}
	for _, word := range section.Common {
		c.common[word] = true
	}
	for _, f := range c.Families {
		if err := c.add(f); err != nil {
			return nil, fmt.Errorf("load library families: family %s: %w", f.ID, err)
		}
	}
	sortTopics(c.topics)
	sortTopics(c.wrappers)
	return c, nil
}

func (c *Catalogue) add(f *Family) error {
	c.byID[f.ID] = f
	for _, m := range f.Members {
		m.family = f
		if c.keys[m.Key()] != nil {
			return fmt.Errorf("member %s is listed twice", m.Name)
		}
		c.keys[m.Key()] = m
		c.index(m)
	}
	for _, group := range f.Together {
		for _, name := range group {
			if c.keys[f.ID+"/"+name] == nil {
				return fmt.Errorf("together: unknown member %q", name)
			}
		}
	}
	for _, t := range f.Topics {
		c.topics = append(c.topics, newTopic(f, t))
	}
	for _, w := range f.Wrappers {
		c.wrappers = append(c.wrappers, newTopic(f, w))
	}
	return nil
}

func (c *Catalogue) index(m *Member) {
	packages := m.Packages
	if packages == nil {
		packages = m.Imports
	}
	for _, i := range m.Imports {
		put(c.imports, key(m.Language, i), m)
	}
	for _, p := range packages {
		put(c.packages, key(m.Language, foldPackage(p)), m)
	}
	for _, f := range m.Files {
		c.files[f] = m
	}
	for _, list := range [][]string{{m.Spoken()}, m.Said, m.Calls, m.Imports} {
		for _, name := range list {
			put(c.names, fold(name), m)
		}
	}
}

func key(language, name string) string { return language + "\x00" + name }

func put(index map[string][]*Member, key string, m *Member) {
	if key != "" && !slices.Contains(index[key], m) {
		index[key] = append(index[key], m)
	}
}
