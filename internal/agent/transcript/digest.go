package transcript

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	stdhash "hash"
	"io"
	"strconv"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// digest hashes values with their lengths, so that different sequences of values never coincide.
type digest struct{ h stdhash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) text(s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	d.h.Write(n[:])
	_, _ = io.WriteString(d.h, s)
}

func (d digest) block(b *sessionevents.Block) {
	d.text(string(b.Type))
	d.text(b.Text)
	d.text(b.ID)
	d.text(b.Name)
	d.text(string(b.Input))
	d.text(b.Output)
	outcome := ""
	if b.IsError != nil {
		outcome = strconv.FormatBool(*b.IsError)
	}
	if b.ExitCode != nil {
		outcome += " " + strconv.Itoa(*b.ExitCode)
	}
	d.text(outcome + strconv.FormatBool(b.Rejected))
	for _, p := range b.Patch {
		d.text(p.Path)
		for _, hunk := range p.Hunks {
			d.text(strconv.Itoa(hunk.NewStart))
			for _, line := range hunk.Lines {
				d.text(line)
			}
		}
	}
}

// sum returns the first 16 bytes of the hash in hexadecimal.
func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)[:16]) }
