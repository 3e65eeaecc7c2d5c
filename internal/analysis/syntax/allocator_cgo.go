//go:build cgo

package syntax

/*
#include <stddef.h>

// Weak, so that this package links alone in cgo's trial link; the real one
// comes with go-tree-sitter.
extern void ts_set_allocator(
	void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *)
) __attribute__((weak));

static void use_c_allocator(void) {
	if (ts_set_allocator) ts_set_allocator(NULL, NULL, NULL, NULL);
}
*/
import "C"

// go-tree-sitter routes each allocation of the C library through Go and back to malloc,
// which takes half the time of a small parse. Both ends are libc, so calling it directly
// is always safe, even for memory that was allocated before.
func init() { C.use_c_allocator() }
