package families

import (
	"cmp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Ecosystem returns the language under which the catalogue lists what a file's language
// may import: typescript → javascript, kotlin → java.
func Ecosystem(language string) string {
	switch language {
	case "typescript", "vue", "svelte":
		return "javascript"
	case "kotlin", "scala":
		return "java"
	}
	return language
}

// Family returns the family with an id, nil if it does not exist.
func (c *Catalogue) Family(id string) *Family { return c.byID[id] }

// Member returns a member by its key.
func (c *Catalogue) Member(key string) *Member { return c.keys[key] }

// separators separate a module from its submodules.
const separators = "./:\\"

// Imported returns the members that a module belongs to, in the form in which the
// ecosystem's code imports it ("requests.adapters", "gorm.io/gorm/clause"). The most
// specific entry counts.
func (c *Catalogue) Imported(ecosystem, module string) []*Member {
	for module != "" {
		if list := c.imports[key(ecosystem, module)]; list != nil {
			return list
		}
		cut := strings.LastIndexAny(module, separators)
		if cut < 0 {
			return nil
		}
		module = strings.TrimRight(module[:cut], separators)
	}
	return nil
}

// Packaged returns the members that a manifest's package provides.
func (c *Catalogue) Packaged(ecosystem, name string) []*Member {
	if ecosystem == "go" {
		return c.Imported(ecosystem, name)
	}
	return c.packages[key(ecosystem, foldPackage(name))]
}

// ByFile returns the member whose use a file of this name shows (a lock file).
func (c *Catalogue) ByFile(base string) *Member { return c.files[base] }

// foldPackage normalizes a package name, since manifests treat case and dashes
// differently.
func foldPackage(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// fold returns a spoken name in the form of the index.
func fold(name string) string {
	return text.Line(strings.ToLower(strings.TrimSuffix(strings.TrimSpace(name), "()")))
}

// leading and trailing words of a phrase that are not part of a name.
var (
	leadingWords  = []string{"the", "a", "an", "any", "our", "plain", "native", "raw", "direct", "bare", "new", "all"}
	trailingWords = []string{
		"directly", "library", "libraries", "package", "module", "client", "calls", "call", "queries", "query",
		"statements", "statement", "framework", "api", "orm", "here", "anywhere", "itself", "imports", "import", "usage", "instance", "instead", "again",
	}
)

// Named returns the members that a phrase names: "`axios`", "raw SQL", "the requests
// library". Names that are ordinary words ("fetch") count only if the phrase marks them
// as code.
func (c *Catalogue) Named(phrase string) []*Member {
	return c.named(phrase, strings.Contains(phrase, "`"))
}

// NamedInRule is Named for the object of a rule ("never call fetch directly"), in which
// an ordinary word is meant as a name.
func (c *Catalogue) NamedInRule(phrase string) []*Member { return c.named(phrase, true) }

func (c *Catalogue) named(phrase string, marked bool) []*Member {
	words := strings.Fields(strings.Trim(strings.ReplaceAll(phrase, "`", ""), " ,.;:'\""))
	for {
		if list := c.said(words, marked); list != nil {
			return list
		}
		switch n := len(words); {
		case n > 1 && slices.Contains(trailingWords, strings.ToLower(words[n-1])):
			words = words[:n-1]
		case n > 1 && slices.Contains(leadingWords, strings.ToLower(words[0])):
			words = words[1:]
		default:
			return nil
		}
	}
}

func (c *Catalogue) said(words []string, marked bool) []*Member {
	name := fold(strings.Join(words, " "))
	list := c.names[name]
	if len(list) == 0 || marked || !c.common[name] {
		return list
	}
	return nil
}

// topic is a phrase of a family, as stemmed words.
type topic struct {
	family *Family
	words  []string
}

func newTopic(f *Family, phrase string) topic { return topic{f, stems(phrase)} }

func stems(text string) []string {
	words := similarity.Words(text)
	for i, w := range words {
		words[i] = similarity.Stem(w)
	}
	return words
}

// sortTopics sorts the most specific first, in the data's order among equals.
func sortTopics(list []topic) {
	slices.SortStableFunc(list, func(a, b topic) int { return cmp.Compare(len(b.words), len(a.words)) })
}

// About returns the family that a phrase is about ("all database access"), nil for none.
func (c *Catalogue) About(phrase string) *Family {
	words := stems(phrase)
	for _, t := range c.topics {
		if containsRun(words, t.words) {
			return t.family
		}
	}
	return nil
}

// Wraps returns the family that a project's own module of this name would wrap, by the
// last part of an import or path ("@/lib/apiClient"); nil for none.
func (c *Catalogue) Wraps(module string) *Family {
	words := stems(LastPart(module))
	for _, t := range c.wrappers {
		if slices.Equal(words, t.words) {
			return t.family
		}
	}
	return nil
}

// LastPart returns a module's own name: "@/lib/apiClient.ts" → "apiClient".
func LastPart(module string) string {
	module = strings.TrimRight(module, separators)
	if slash := strings.LastIndexAny(module, "/\\"); slash >= 0 {
		module = module[slash+1:]
		if dot := strings.IndexByte(module, '.'); dot > 0 {
			module = module[:dot]
		}
		return module
	}
	if cut := strings.LastIndexAny(module, separators); cut >= 0 {
		return module[cut+1:]
	}
	return module
}

func containsRun(words, run []string) bool {
	for i := 0; len(run) > 0 && i+len(run) <= len(words); i++ {
		if slices.Equal(words[i:i+len(run)], run) {
			return true
		}
	}
	return false
}
