#!/bin/sh
# Hands a hook's call to scaffoldwatch-hook, wherever it was installed; $1 is the agent. The programs are no
# part of the plugin: without them this says once a session how to get them, and the agent works on (CO-3).
found=$(command -v scaffoldwatch-hook) || for folder in "$HOME/.local/bin" "$HOME/go/bin" /usr/local/bin /opt/homebrew/bin "$HOME/.npm-global/bin"; do
	[ -x "$folder/scaffoldwatch-hook" ] && found=$folder/scaffoldwatch-hook && break
done
[ -L "$found" ] && case $(readlink "$found") in
*.js) # npm's: the program itself starts without Node, ten times as fast
	for program in "$(dirname "$(readlink -f "$found")")"/node_modules/scaffoldwatch-*/bin/scaffoldwatch-hook "$(dirname "$(readlink -f "$found")")"/../scaffoldwatch-*/bin/scaffoldwatch-hook; do
		[ -x "$program" ] && found=$program && break
	done
	;;
esac
[ -n "$found" ] && exec "$found" --agent "$1"
case $(cat) in
*'"hook_event_name":"SessionStart"'* | *'"hook_event_name": "SessionStart"'*)
	echo '{"systemMessage":"scaffoldwatch is not installed, so nothing guards this session: run `npm install -g scaffoldwatch`, or put scaffoldwatch and scaffoldwatch-hook on your PATH another way (docs/install.md). To be rid of this, remove the plugin."}'
	;;
esac
exit 0
