package packed

// Number writes the low bits of a number, as lists are written.
func (w *Writer) Number(n uint64, bits int) { w.put(n, bits) }

// Number returns the next number of some bits.
func (r *Reader) Number(bits int) (uint64, error) {
	n := r.get(bits)
	if r.lost {
		return 0, ErrDamaged
	}
	return n, nil
}
