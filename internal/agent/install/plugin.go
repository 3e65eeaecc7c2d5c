package install

// Document returns a file of its own with a description and the hooks that
// [Plan.Install] writes for a system at [DefaultURL] and [ClientName] in the
// PATH, as a plugin of the agent holds it.
func (a *Settings) Document(description string) ([]byte, error) {
	d, err := parse("hooks.json", nil)
	if err != nil {
		return nil, err
	}
	if err := d.addMember(d.root, "", "description", description); err != nil {
		return nil, err
	}
	if err := a.add(d, Plan{URL: DefaultURL, Client: ClientName}); err != nil {
		return nil, err
	}
	return d.bytes(), nil
}
