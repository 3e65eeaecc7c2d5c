package disguisedbuild

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestDisguisedBuild(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		first, first, second, "I'll create a new version of `parse_invoice`.", "I'll create an enhanced version of a.py", "Remove parse_invoice.",
	})
}

const first = `def parse_invoice(text, strict):
    lines = []
    for raw in text.splitlines():
        kind, _, amount = raw.partition(":")
        if strict and kind not in KINDS:
            raise UnknownKind(kind)
        lines.append(Line(kind.strip(), Decimal(amount)))
    return Invoice(lines, sum(line.amount for line in lines))
`

const second = `def parse_invoice_v2(text, strict):
    lines = []
    for raw in text.splitlines():
        kind, _, amount = raw.partition(":")
        if strict and kind not in KINDS:
            raise UnknownKind(kind)
        lines.append(Line(kind.strip(), Decimal(amount.strip())))
    return Invoice(lines, sum(line.amount for line in lines))
`
