package bundle

import (
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
)

func (v *verification) anchor(f File, in io.Reader) error {
	data, err := small(f.Name, in, maxSmall)
	if err != nil {
		return err
	}
	if len(v.options.Known) == 0 {
		return nil
	}
	all, err := chain.OpenAnchors(data, v.options.Known, v.options.Keys)
	if err != nil {
		return &Fault{File: f.Name, What: err.Error()}
	}
	for _, a := range all {
		a.File = f.Name
		v.anchors = append(v.anchors, a)
	}
	return nil
}

// compareAnchors looks up the anchored heads in this part of the chain.
func (v *verification) compareAnchors() {
	for _, a := range v.anchors {
		fits := false
		for _, h := range a.Heads {
			found, here := v.heads[h.Stream][headKey{h.Partition, h.Sequence}]
			switch {
			case here && found.digest != h.Digest:
				v.fault(&Fault{File: fileOf(h.Stream), Sequence: h.Sequence, What: "another checkpoint than the one anchored in " + a.File})
			case here:
				fits = true
			}
		}
		switch {
		case fits && a.Revoked.IsZero():
			v.report.Anchors++
		case fits:
			v.report.NotProven = append(v.report.NotProven, "what the anchor in "+a.File+" says: "+chain.Doubt(a.Signer, a.Revoked))
		}
	}
}
