package run

// KnownKind is the kind of a run, empty for one that has no meaning here: such a run
// is watched like one that names none (EV-3a).
func KnownKind(kind string) string {
	switch kind {
	case "build", "pipeline", "saw":
		return kind
	}
	return ""
}
