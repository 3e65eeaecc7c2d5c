// Package nearest finds the name that was probably meant by a mistyped one.
package nearest

import (
	"strings"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"
)

// alike is the minimum similarity of a suggested name, 0 to 1.
const alike = 0.75

// Name returns the known name most similar to the given one, "" if none is similar
// enough. Case is ignored.
func Name(given string, known []string) string {
	best, score := "", alike
	for _, k := range known {
		if s := strutil.Similarity(strings.ToLower(given), strings.ToLower(k), metrics.NewJaroWinkler()); s > score {
			best, score = k, s
		}
	}
	return best
}
