package install

// describes is what a plugin's hooks say of themselves.
const describes = "Tells scaffoldwatch every turn and brings back its interrupts and halts."

// Document returns a file of its own with the hooks that [Plan.Install] writes, as a plugin of the agent
// holds it: each hook runs a shell line, which finds the program.
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
