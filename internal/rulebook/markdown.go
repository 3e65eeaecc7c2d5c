package rulebook

import (
	"fmt"
	"strings"
)

// Markdown is the rule as a person reads it. Where name is one of its codes,
// that code comes first.
func (r *Rule) Markdown(name string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s %s\n\n", r.ID, r.Title)
	if c := r.code(name); c != nil {
		fmt.Fprintf(&out, "`%s` (%s): %s\n\n", c.Code, c.Kind, c.What)
	}
	fmt.Fprintf(&out, "%s\n", strings.TrimSpace(r.What))
	if len(r.Codes) > 0 {
		out.WriteString("\n## Codes\n\n")
	}
	for _, c := range r.Codes {
		fmt.Fprintf(&out, "- `%s` (%s): %s\n", c.Code, c.Kind, c.What)
	}
	fmt.Fprintf(&out, "\nMore: %s\n", r.Page)
	return out.String()
}
