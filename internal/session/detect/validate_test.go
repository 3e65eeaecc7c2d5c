package detect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func suiteRules(t *testing.T) *rules.Set {
	t.Helper()
	return rules.Default()
}

// SW-32: an undocumented detector is an error.
func TestValidate(t *testing.T) {
	require.NoError(t, detect.Validate(always("C1")))
	cases := map[string]func(*detect.Detector){
		"class letter and a digit":  func(d *detect.Detector) { d.ID = "X1" },
		"does not fit the id":       func(d *detect.Detector) { d.Class = "B" },
		"its package's name":        func(d *detect.Detector) { d.Name = "Fake Name" },
		"title must be one line":    func(d *detect.Detector) { d.Title = " " },
		"must name C1":              func(d *detect.Detector) { d.Rules = nil },
		"New is missing":            func(d *detect.Detector) { d.New = nil },
		"must start with":           func(d *detect.Detector) { d.Doc = "" },
		`section "Silent" of`:       func(d *detect.Detector) { d.Doc = strings.Replace(d.Doc, "## Silent\n\nText.", "## Silent\n", 1) },
		"want [Trigger Validators ": func(d *detect.Detector) { d.Doc = strings.Replace(d.Doc, "## Precision", "## Other", 1) },
	}
	for want, change := range cases {
		d := always("C1")
		change(d)
		require.ErrorContains(t, detect.Validate(d), want)
	}
}
