package embedded

import (
	"fmt"

	"golang.org/x/sys/windows"
)

func room(dir string) (free, size uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(path, &free, &size, nil)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	return free, size, nil
}
