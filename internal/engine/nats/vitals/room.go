package vitals

import (
	"fmt"
	"strings"
)

// lowAt is the free space, beside a tenth of the disk, under which it is worth a warning.
const lowAt = 1 << 30

// Room returns the fault of a disk of size bytes with so many free: [DiskFull] where the
// broker refuses writes and hardly anything is free, nil where there is enough.
func Room(free, size uint64, refused bool) *Fault {
	low := free < lowAt && free < size/10
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
