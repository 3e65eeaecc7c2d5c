package service

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
)

// leastStateBytes is the memory for states if the machine has little memory, or does not report how much.
const leastStateBytes = 256 << 20

// stateBytes returns the memory for states: the configured amount, or an eighth of what the process may
// use. The garbage collector needs as much again, and the broker of `up` also caches streams.
func stateBytes(configured int64) int {
	if configured > 0 {
		return int(configured)
	}
	return max(leastStateBytes, int(available()/8))
}

// available returns the memory of the machine or of the container, 0 if unknown.
func available() uint64 {
	least := physical()
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64); err == nil && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// physical returns the machine's memory according to /proc, 0 if it is not there.
func physical() uint64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), "MemTotal:"); found {
			kib, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
