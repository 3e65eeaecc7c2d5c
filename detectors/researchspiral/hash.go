package researchspiral

import (
	"encoding/base64"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// hashBytes is the size of a hash. Three bytes distinguish a few hundred names.
const hashBytes = 3

func hash(text string) uint32 {
	return uint32(xxhash.Sum64String(text) & (1<<(8*hashBytes) - 1))
}

// hashes is a list of hashes that is encoded as one short text.
type hashes []uint32

// MarshalText writes three bytes per hash in base 64.
func (h hashes) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, hashBytes*len(h))
	for _, v := range h {
		raw = append(raw, byte(v>>16), byte(v>>8), byte(v))
	}
	return base64.RawStdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText reads the output of MarshalText.
func (h *hashes) UnmarshalText(text []byte) error {
	raw, err := base64.RawStdEncoding.DecodeString(string(text))
	if err != nil {
		return fmt.Errorf("decode hashes of names: %w", err)
	}
	if len(raw)%hashBytes != 0 {
		return fmt.Errorf("decode hashes of names: %d bytes are not a multiple of %d", len(raw), hashBytes)
	}
	*h = nil
	for ; len(raw) > 0; raw = raw[hashBytes:] {
		*h = append(*h, uint32(raw[0])<<16|uint32(raw[1])<<8|uint32(raw[2]))
	}
	return nil
}
