package install

// PluginHooks is hooks/hooks.json of the Claude Code plugin: what [Plan.Install]
// writes for a system at [DefaultURL] and a scaffoldwatch in the PATH.
func PluginHooks() ([]byte, error) {
	d, err := parse("hooks.json", nil)
	if err != nil {
		return nil, err
	}
	if err := d.addMember(d.root, "", "description", "Tells scaffoldwatch every turn and brings back its interrupts and halts."); err != nil {
		return nil, err
	}
	a, err := agentNamed("claude-code")
	if err != nil {
		return nil, err
	}
	if err := a.add(d, Plan{URL: DefaultURL, Program: "scaffoldwatch"}); err != nil {
		return nil, err
	}
	return d.bytes(), nil
}
