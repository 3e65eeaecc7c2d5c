package engine

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Assign shares partitions among live instances by rendezvous hashing and returns
// those of self, ascending. Instances that see the same others agree, and few
// partitions move when one comes or goes. It only saves work: the fence is what
// keeps two owners from changing the same partition.
func Assign(self string, instances []string, partitions int) []int {
	if !slices.Contains(instances, self) {
		instances = append(slices.Clone(instances), self)
	}
	var own []int
	for partition := range partitions {
		if best(instances, partition) == self {
			own = append(own, partition)
		}
	}
	return own
}

func best(instances []string, partition int) string {
	winner, most := "", uint64(0)
	for _, instance := range instances {
		score := xxhash.Sum64String(instance + "\x00" + string(rune(partition)))
		if winner == "" || score > most || score == most && instance < winner {
			winner, most = instance, score
		}
	}
	return winner
}
