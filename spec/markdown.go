package spec

import (
	"fmt"
	"strings"
)

// Page returns the path of the documentation page that lists the rule.
func (r *Rule) Page() string { return page(r.Layer) }

// Page returns the path of the layer's page.
func (l *Layer) Page() string { return page(l.ID) }

func page(layer string) string { return "docs/rules/" + layer + ".md" }

// Explain returns the rule as Markdown, as `rules explain` prints it. If name is
// one of the rule's codes, that code comes first.
func (r *Rule) Explain(name string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s %s\n\n", r.ID, r.Title)
	if c := r.Code(name); c != nil {
		fmt.Fprintf(&out, "`%s` (%s): %s\n\n", c.Code, c.Severity, c.Text)
	}
	r.body(&out)
	more := r.Page()
	if r.More != "" {
		more += ", " + r.More
	}
	fmt.Fprintf(&out, "\nMore: %s\n", more)
	return out.String()
}

// Markdown returns the page of a layer.
func (l *Layer) Markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", l.Title)
	for i := range l.Rules {
		r := &l.Rules[i]
		fmt.Fprintf(&out, "\n## %s\n\n**%s**\n\n", r.ID, r.Title)
		r.body(&out)
		if r.More != "" {
			fmt.Fprintf(&out, "\nMore: [%s](../../%s)\n", r.More, r.More)
		}
	}
	return out.String()
}

// body writes everything but the title.
func (r *Rule) body(out *strings.Builder) {
	if r.Planned {
		out.WriteString("Planned; not built yet.\n\n")
	}
	if r.Kind != KindRule {
		fmt.Fprintf(out, "%s of Scout-and-Wave. ", capitalised(string(r.Kind)))
	}
	fmt.Fprintf(out, "%s\n", r.Text)
	if codes := r.TouchedBy(); len(codes) > 0 {
		fmt.Fprintf(out, "\nTouched by: %s.\n", quoted(codes))
	}
	if len(r.Codes) > 0 {
		out.WriteString("\nCodes:\n\n")
	}
	for _, c := range r.Codes {
		fmt.Fprintf(out, "- `%s` (%s): %s%s\n", c.Code, c.Severity, c.Text, touches(c.Touches))
	}
	if len(r.Gates) > 0 {
		out.WriteString("\nGates:\n\n")
	}
	for _, g := range r.Gates {
		fmt.Fprintf(out, "- `%s`: %s\n", g.Gate, strings.Join(g.Answers, ", "))
	}
	if len(r.Settings) > 0 {
		fmt.Fprintf(out, "\nSettings: %s.\n", quoted(r.Settings))
	}
}

func touches(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " Touches " + strings.Join(ids, ", ") + "."
}

func quoted(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

func capitalised(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
