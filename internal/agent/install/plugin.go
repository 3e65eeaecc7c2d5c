package install

// describes is the description of a plugin's hooks.
const describes = "Sends every turn to scaffoldwatch and delivers its interrupts and halts."

// Document returns a separate file with the hooks that [Plan.Install] writes, in the form of an agent's
// plugin: each hook runs a shell line, which finds the program.
func (a *Settings) Document(line string) ([]byte, error) {
	d, err := parse("hooks.json", nil)
	if err != nil {
		return nil, err
	}
	if err := d.addMember(d.root, "", "description", describes); err != nil {
		return nil, err
	}
	if err := a.add(d, Plan{URL: DefaultURL, line: line}); err != nil {
		return nil, err
	}
	return d.bytes(), nil
}
