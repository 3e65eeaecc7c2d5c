package proof

import (
	"strconv"
	"strings"
)

// Partition returns the partition in a subject of a stream: after the stage of a
// checkpoint, before group and id of an event; -1 if it is not a number.
func Partition(subject string) (partition int, isCheckpoint bool) {
	tokens := strings.Split(subject, ".")
	isCheckpoint = tokens[0] == "ckpt" && len(tokens) == 3
	at := len(tokens) - 3
	if isCheckpoint {
		at = 2
	}
	if at < 0 {
		return 0, isCheckpoint
	}
	partition, err := strconv.Atoi(tokens[at])
	if err != nil {
		return -1, isCheckpoint
	}
	return partition, isCheckpoint
}
