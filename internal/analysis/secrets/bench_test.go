package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// benchTexts are texts of about 18 KB, the mean size of a turn: real ones where
// they are, else generated code and prose.
func benchTexts(b *testing.B) []string {
	var joined []string
	var current strings.Builder
	for _, text := range append(benchSource(b), "") {
		current.WriteString(text[:min(len(text), 18<<10)])
		if current.Len() >= 18<<10 {
			joined = append(joined, current.String()[:18<<10])
			current.Reset()
		}
		if len(joined) == 400 {
			break
		}
	}
	return joined
}

func benchSource(b *testing.B) (texts []string) {
	if shareddata.Folder() != "" {
		return transcriptTexts(b)
	}
	g := secretstest.New(1)
	for range 400 {
		texts = append(texts, g.Text(18<<10))
	}
	return texts
}

// BenchmarkFind measures the scanner; BenchmarkWholeFragment, in the same run,
// what it replaces: gitleaks over whole texts with the same rules.
func BenchmarkFind(b *testing.B) {
	s, texts := testScanner(b), benchTexts(b)
	b.SetBytes(18 << 10)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		s.Find(texts[i%len(texts)], "")
	}
}

func BenchmarkWholeFragment(b *testing.B) {
	detector, err := provider()
	require.NoError(b, err)
	texts := benchTexts(b)
	b.SetBytes(18 << 10)
	b.ResetTimer()
	for i := range b.N {
		detector.Detect(detect.Fragment{Raw: texts[i%len(texts)]})
	}
}
