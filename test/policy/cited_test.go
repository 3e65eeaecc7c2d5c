package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// citedPage is a Markdown file of documentation in a comment, not one that an
// agent or a user has.
var citedPage = regexp.MustCompile(`(?:^|[\s(])((?:docs/|facts/|spec/|shared/|\.\./)[\w./-]*\w|[a-z-]+\.md\b)`)

// Comments cite only pages of this repository: docs/…, or the rule's id.
func TestCitedPagesExist(t *testing.T) {
	top, err := root()
	require.NoError(t, err)
	for _, f := range repository(t).files {
		if f.test {
			continue // names fixtures
		}
		for _, group := range f.syntax.Comments {
			for _, m := range citedPage.FindAllStringSubmatch(group.Text(), -1) {
				page := m[1]
				if !strings.HasSuffix(page, ".md") || page == "doc.md" { // a detector's
					continue
				}
				inRoot, beside := filepath.Join(top, page), filepath.Join(top, f.folder, page)
				if _, err := os.Stat(inRoot); err == nil {
					continue
				}
				if _, err := os.Stat(beside); err == nil {
					continue
				}
				t.Errorf("%s: a comment cites %s, which is not in the repository; cite the rule (RW-30) or the page (docs/…)", f.path, page)
			}
		}
	}
}
