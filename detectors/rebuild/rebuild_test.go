package rebuild

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestRebuild(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		body, body, body, "Now I'll create the `load_orders` function.", "Let me rewrite `load_orders` from scratch.", "The test fails, fix it.", "pytest", "git checkout .",
	})
}

// body is a file long enough to be compared.
const body = `import csv

def load_orders(path, since):
    rows = []
    with open(path, newline="") as source:
        for row in csv.DictReader(source):
            placed = parse_day(row["placed"])
            if placed < since:
                continue
            rows.append(Order(row["id"], placed, Decimal(row["total"])))
    rows.sort(key=lambda order: order.placed)
    return rows
`
