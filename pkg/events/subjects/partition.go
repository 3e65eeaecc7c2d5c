package subjects

import "hash/fnv"

// DefaultPartitions is the default number of partitions; the number is fixed when the streams are
// created (EV-4).
const DefaultPartitions = 16

// Partition returns the partition of a group among n, the same that nats-server's
// {{partition(n,3)}} computes for the group's token (EV-4). n < 1 counts as 1.
func Partition(group string, n int) int {
	if n < 1 {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(group))
	return int(h.Sum32() % uint32(n))
}
