package machines

// Shared reports whether stages are shared.
func (v *Variants) Shared() bool { return v.head != nil }
