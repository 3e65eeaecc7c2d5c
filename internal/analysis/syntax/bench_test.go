package syntax

import (
	"strings"
	"testing"
)

// fourKilobytes is a Python fragment of about 4 KB with n declarations.
func fourKilobytes(n int) string {
	filler := "        value = self.client.request(path, timeout=30)  # call it\n        if value is None:\n            return default\n"
	heads := []string{
		"    def load_user(self, user_id):\n", "class Store(Base):\n", "    def save(self, item: Item, *, force=False) -> bool:\n",
		"    async def close(self):\n", "def main(argv=None):\n",
	}
	var b strings.Builder
	for i := range n {
		b.WriteString(heads[i%len(heads)])
		b.WriteString(strings.Repeat(filler, 4096/len(filler)/n))
	}
	if n == 0 {
		b.WriteString(strings.Repeat(filler, 4096/len(filler)))
	}
	return b.String()
}

func BenchmarkSymbols(b *testing.B) {
	for name, code := range map[string]string{"five": fourKilobytes(5), "none": fourKilobytes(0)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(code)))
			for b.Loop() {
				Symbols("python", code, 1)
			}
		})
	}
}

func BenchmarkMask(b *testing.B) {
	code, l := fourKilobytes(5), load().Languages["python"]
	for b.Loop() {
		l.mask(code)
	}
}
