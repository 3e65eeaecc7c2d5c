package conformance

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// upstreams is what the systems that this product comes from rule, and what is watched of it.
type upstreams struct {
	// Own are the rules of ours that no upstream asks for.
	Own []struct {
		IDs []string `yaml:"ids"` // "EV-" is all that begin so
		Why string   `yaml:"why"`
	} `yaml:"own"`
	Systems []system `yaml:"systems"`
}

type system struct {
	ID    string       `yaml:"id"`
	Name  string       `yaml:"name"`
	About string       `yaml:"about"`
	Rules []theirsRule `yaml:"rules"`
}

// theirsRule is a rule under the name that it has in its own system.
type theirsRule struct {
	Rule string `yaml:"rule"`
	// Ours are the rules and detectors that watch it; Tests the Go tests that hold it where no scenario does.
	Ours    []string `yaml:"ours"`
	Tests   []string `yaml:"tests"`
	Differs string   `yaml:"differs"`
	Not     string   `yaml:"not"` // why nothing is watched
}

func readUpstreams() (*upstreams, error) {
	data, err := os.ReadFile("upstream.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the upstream rules: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var u upstreams
	if err := decoder.Decode(&u); err != nil {
		return nil, fmt.Errorf("read the upstream rules: %w", err)
	}
	return &u, nil
}

// isOwn reports whether a rule of ours is listed as one that no upstream asks for.
func (u *upstreams) isOwn(id string) bool {
	for _, o := range u.Own {
		for _, own := range o.IDs {
			if own == id || strings.HasSuffix(own, "-") && strings.HasPrefix(id, own) {
				return true
			}
		}
	}
	return false
}

// conformance lists every upstream rule with ours, the codes that report that it was broken, and what shows it.
func (u *upstreams) conformance(b *strings.Builder, files map[string][]string) {
	b.WriteString(`
## Upstream rules

Every rule of the four upstream systems and of Ralph loops, once, under the name it has there; from
[upstream.yaml](../test/conformance/upstream.yaml). How they differ and why is in
[orchestrators](orchestrators.md).
`)
	for i := range u.Systems {
		s := &u.Systems[i]
		fmt.Fprintf(b, "\n### %s\n\n%s\n\n| its rule | ours | reported as | shown by |\n|---|---|---|---|\n", s.Name, s.About)
		for _, r := range s.Rules {
			if r.Not != "" {
				fmt.Fprintf(b, "| %s | | not watched: %s | |\n", r.title(), lowered(r.Not))
				continue
			}
			fmt.Fprintf(
				b, "| %s | %s | %s | %s |\n", r.title(), strings.Join(r.Ours, ", "), strings.Join(r.codes(), ", "),
				r.shown(files),
			)
		}
	}
	b.WriteString("\nRules of ours that no upstream asks for:\n\n| ours | why |\n|---|---|\n")
	for _, o := range u.Own {
		fmt.Fprintf(b, "| %s | %s |\n", strings.ReplaceAll(strings.Join(o.IDs, ", "), "-,", "-*,"), o.Why)
	}
}

// table is one of the tables of docs/orchestrators.md.
func (s *system) table(files map[string][]string) string {
	var b strings.Builder
	b.WriteString("| its rule | watched | where it differs, and why |\n|---|---|---|\n")
	for _, r := range s.Rules {
		if r.Not != "" {
			fmt.Fprintf(&b, "| %s | not | %s |\n", r.title(), r.Not)
			continue
		}
		var by []string
		for _, id := range r.Ours {
			by = append(by, fmt.Sprintf("[%s](%s) (%s)", id, explained(id), firstLink(files[id+" firing"])))
		}
		by = append(by, r.Tests...)
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.title(), strings.Join(by, ", "), r.Differs)
	}
	return b.String()
}

// explained returns the place of a rule or detector of ours in the documentation.
func explained(id string) string {
	if r, ok := spec.Find(id); ok && r.Kind == spec.KindRule {
		return fmt.Sprintf("rules/%s.md#%s", r.Layer, strings.ToLower(r.ID))
	}
	return "rules/" + id + ".md"
}

func firstLink(files []string) string {
	if len(files) == 0 {
		return "tests"
	}
	return links(files[:1])
}

// title is the rule's name, with the title of one that Scout-and-Wave numbers.
func (r *theirsRule) title() string {
	if s, ok := spec.Find(r.Rule); ok && s.Kind != spec.KindRule {
		return s.ID + " " + strings.ToLower(s.Title[:1]) + s.Title[1:]
	}
	return r.Rule
}

// codes are what reports that a rule which Scout-and-Wave numbers was broken.
func (r *theirsRule) codes() (codes []string) {
	for _, ours := range spec.Rules() {
		for _, c := range ours.Codes {
			if slices.Contains(c.Touches, r.Rule) {
				codes = append(codes, fmt.Sprintf("`%s` (%s)", c.Code, ours.ID))
			}
		}
	}
	return codes
}

// shown names the scenarios and tests that hold the rule.
func (r *theirsRule) shown(files map[string][]string) string {
	var out []string
	for _, id := range r.Ours {
		if list := files[id+" firing"]; len(list) > 0 {
			out = append(out, links(list))
		} else if s, ok := spec.Find(id); ok {
			out = append(out, s.Tests...)
		}
	}
	return strings.Join(append(out, r.Tests...), ", ")
}

func lowered(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// ourRules are the ids of our rules and detectors.
func ourRules() (ids []string) {
	for _, r := range spec.Rules() {
		if r.Kind == spec.KindRule && !r.Planned {
			ids = append(ids, r.ID)
		}
	}
	for _, d := range all.Detectors() {
		ids = append(ids, d.ID)
	}
	return ids
}
