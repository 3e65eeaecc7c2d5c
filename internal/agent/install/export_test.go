package install

// File returns the settings file of the plan.
func (p Plan) File() (string, error) { return p.Settings.path(p) }

// Count returns the number of our handlers in a file.
func (a *Settings) Count(data []byte) (int, error) {
	d, err := parse("x", data)
	if err != nil {
		return 0, err
	}
	return a.strip(d, false)
}
