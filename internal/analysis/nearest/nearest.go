// Package nearest finds the name that a mistyped one was meant to be.
package nearest

import (
	"strings"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"
)

// alike is how much a name must be like another one to be suggested, 0 to 1.
const alike = 0.75

// Name returns the known name that is most like the one given, "" if none is much
// like it. Upper and lower case do not count.
func Name(given string, known []string) string {
	best, score := "", alike
	for _, k := range known {
		if s := strutil.Similarity(strings.ToLower(given), strings.ToLower(k), metrics.NewJaroWinkler()); s > score {
			best, score = k, s
		}
	}
	return best
}
