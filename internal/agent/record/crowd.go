package record

const (
	maxValues  = 250_000 // JSON values of one record
	smallBytes = 1 << 20 // size below which a record is not counted, as its values are few enough
)

// Crowded reports whether a JSON record has more values than any agent writes. Each value costs some
// hundred bytes when it is decoded, so even a small record with a few million of them would fill the
// memory.
func Crowded(data []byte) bool {
	if len(data) < smallBytes {
		return false
	}
	values := 1
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case ',', '{', '[':
			if values++; values > maxValues {
				return true
			}
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		}
	}
	return false
}
