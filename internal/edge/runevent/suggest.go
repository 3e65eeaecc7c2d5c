package runevent

import (
	"fmt"
	"strings"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"
)

// alike is how much a name must be like another one to be suggested, 0 to 1.
const alike = 0.75

// suggestion names the likeliest name, or says where all of them stand.
func suggestion(name string, names []string) string {
	best, score := "", alike
	for _, n := range names {
		if s := strutil.Similarity(strings.ToLower(name), n, metrics.NewJaroWinkler()); s > score {
			best, score = n, s
		}
	}
	if best == "" {
		return "; --list shows what there is"
	}
	return fmt.Sprintf("; did you mean %s? --list shows what there is", best)
}
