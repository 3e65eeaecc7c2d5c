package workload

import (
	"fmt"
	"strings"
)

var (
	nouns = []string{"orders", "customers", "invoices", "filters", "pages", "cursors", "sessions", "carts", "products", "payments", "reviews", "stock", "labels", "queues", "mail", "reports"}
	verbs = []string{"load", "store", "merge", "count", "render", "check", "list", "find", "group", "split"}
	lines = []string{
		"The %[1]s are sorted before the %[2]s are joined.",
		"Next the %[1]s need the same treatment as the %[2]s.",
		"The test for %[1]s covers the empty case already.",
		"Looking at how %[1]s and %[2]s share their columns.",
		"The %[1]s query takes a limit, so the page can pass one.",
	}
	creep = []string{
		"I'll also add a dark mode toggle to the settings page.",
		"I should also include an export of the reports as PDF.",
		"Let me add support for a weekly email digest.",
		"I'll also add a command line flag for verbose colours.",
		"I'll also add a websocket endpoint for live updates.",
	}
)

// prose returns a few sentences of plan.
func (m *maker) prose(sentences int) string {
	var b strings.Builder
	for i := range sentences {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, m.pick(lines), m.pick(nouns), m.pick(nouns))
	}
	return b.String()
}

// code returns about size bytes of a Python module, with a declaration in some 1.4 KB as in the files that
// agents read.
func (m *maker) code(size int) string {
	var b strings.Builder
	b.WriteString("import logging\n\nfrom app.store import session\n")
	for b.Len() < size {
		verb, noun, other := m.pick(verbs), m.pick(nouns), m.pick(nouns)
		fmt.Fprintf(&b, "\n\ndef %s_%s(%s, limit=%d):\n    \"\"\"%s\"\"\"\n", verb, noun, other, 10+m.random.IntN(90), m.prose(1))
		b.WriteString(m.statements(9 + m.random.IntN(14)))
		fmt.Fprintf(&b, "    logging.info(\"%s %s\", len(%s))\n    return session.query(%s).limit(limit).all()\n", verb, noun, other, noun)
	}
	return b.String()
}

// forms of a statement, filled with noun, verb, noun and number.
var forms = []string{
	"    %[1]s = [%[2]s.%[3]s for %[2]s in %[1]s if %[3]s.number > %[4]d]\n",
	"    if %[1]s is None or len(%[3]s) > %[4]d:\n        raise ValueError(\"no %[1]s to %[2]s\")\n",
	"    # %[2]s the %[1]s once, since the %[3]s may change\n",
	"    for %[1]s in self.%[3]s.%[2]s(limit=%[4]d):\n        %[3]s.append(%[1]s)\n",
	"    %[1]s_%[3]s = self.%[2]s_%[3]s(%[1]s, offset=%[4]d, strict=True)\n",
}

func (m *maker) statement() string {
	return fmt.Sprintf(m.pick(forms), m.pick(nouns), m.pick(verbs), m.pick(nouns), m.random.IntN(1000))
}

func (m *maker) statements(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(m.statement())
	}
	return b.String()
}

// secret returns a fake provider key, put together here so that no file holds one (SW-7).
func (m *maker) secret() string {
	letters := "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	body := make([]byte, 36)
	for i := range body {
		body[i] = letters[m.random.IntN(len(letters))]
	}
	switch m.random.IntN(3) {
	case 0:
		return strings.Join([]string{"sk", "live", string(body[:24])}, "_")
	case 1:
		return "gh" + "p_" + string(body)
	}
	return "AK" + "IA" + upper(body[:16])
}

func upper(body []byte) string {
	alphabet := "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	out := make([]byte, len(body))
	for i, c := range body {
		out[i] = alphabet[int(c)%len(alphabet)]
	}
	return string(out)
}
