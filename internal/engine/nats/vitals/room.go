package vitals

import (
	"fmt"
	"strings"
)

// From here on there is less room than is good: for readiness, `scaffoldwatch doctor`
// and the alert rules alike.
const (
	// NearlyFull is the share of its limit that a stream or an account's storage holds.
	NearlyFull = 0.8
	// LowShare and LowBytes are what is free of a disk: less than both.
	LowShare = 0.1
	LowBytes = 1 << 30
)

// Filled returns the larger share of its limits that something holds; a limit of nothing,
// or less, is none.
func Filled(bytes uint64, maxBytes int64, messages uint64, maxMessages int64) float64 {
	share := func(held uint64, limit int64) float64 {
		if limit <= 0 {
			return 0
		}
		return float64(held) / float64(limit)
	}
	return max(share(bytes, maxBytes), share(messages, maxMessages))
}

// Room returns the fault of a disk of size bytes with so many free: [DiskFull] where the
// broker refuses writes and hardly anything is free, nil where there is enough.
func Room(free, size uint64, refused bool) *Fault {
	low := free < LowBytes && float64(free) < LowShare*float64(size)
	text := fmt.Sprintf("%d MiB of %d MiB are free on the disk of the streams", free>>20, size>>20)
	switch {
	case low && refused:
		return &Fault{DiskFull, "", text + ", and nothing more is accepted: free some, then restart the server"}
	case low:
		return &Fault{DiskLow, "", text}
	}
	return nil
}

// Broken returns the fault of a server that said that its storage failed.
func Broken(said string) Fault {
	kind := WriteRefused
	if low := strings.ToLower(said); strings.Contains(low, "no space") || strings.Contains(low, "resources") {
		kind = DiskFull
	}
	return Fault{kind, "", said + ": free space where the streams are, then start the server again; until then it " +
		"refuses writes, also when there is room"}
}
