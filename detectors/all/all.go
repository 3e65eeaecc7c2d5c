// Package all lists the detectors. No other package knows all of them.
package all

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/circular"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/destructiveact"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/disguisedbuild"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/duplicatebuild"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/featurecreep"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/hardcodedsecret"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/injection"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/leftbehind"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/outofscope"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/patterncontradiction"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/rebuild"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/refetch"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/researchspiral"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/secretleak"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/stuckloop"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/unprovencompletion"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/weakcrypto"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/weakenedcheck"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
)

// Detectors returns all detectors in order of id. The caller owns the list.
func Detectors() []*detect.Detector {
	list := []*detect.Detector{
		duplicatebuild.Detector,
		destructiveact.Detector,
		disguisedbuild.Detector,
		circular.Detector,
		featurecreep.Detector,
		hardcodedsecret.Detector,
		leftbehind.Detector,
		outofscope.Detector,
		patterncontradiction.Detector,
		rebuild.Detector,
		injection.Detector,
		refetch.Detector,
		researchspiral.Detector,
		secretleak.Detector,
		stuckloop.Detector,
		unprovencompletion.Detector,
		weakcrypto.Detector,
		weakenedcheck.Detector,
	}
	slices.SortFunc(list, func(a, b *detect.Detector) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
