package shell

import (
	"path"
	"slices"
	"strings"
)

// mounts are folders of this machine that a container sees: what is done to them there is done here.
type mounts []mount

// mount is a folder as the container names it, and where it is.
type mount struct{ inside, here string }

// inContainer is where everything else in a container is, as far as this machine is concerned.
const inContainer = "/tmp/container"

// containerValues are flags of docker run whose next word is a value.
var containerValues = []string{
	"-v", "--volume", "--mount", "-w", "--workdir", "-e", "--env", "--env-file", "-p", "--publish", "--name", "--network", "--net", "-u", "--user", "--entrypoint", "-h", "--hostname",
	"-m", "--memory", "--cpus", "-l", "--label", "--platform", "--pull", "--restart", "--tmpfs", "--device", "--add-host", "--cap-add", "--cap-drop", "--gpus", "--ip", "--ipc", "--pid",
	"--security-opt", "--shm-size", "--ulimit", "--userns", "--log-driver", "--log-opt", "--dns", "--volumes-from", "--cidfile", "-a", "--attach", "-c", "--cpu-shares", "--health-cmd", "--runtime",
}

// mounted follows the command of a container that sees folders of this machine. It reports whether it did.
func (w *invocations) mounted(args []argument, i Invocation) bool {
	name, rest, _ := w.unwrap(args)
	if !slices.Contains([]string{"docker", "podman", "nerdctl"}, name) || w.depth >= maxDepth || len(w.mounts) > 0 {
		return false
	}
	at := slices.IndexFunc(rest[:min(len(rest), maxWrapped)], func(a argument) bool { return a.text == "run" || a.text == "create" })
	if at < 0 {
		return false
	}
	rest = rest[at+1:]
	var seen mounts
	folder, entry := "", ""
	for k, a := range rest {
		flag, value, joined := strings.Cut(a.text, "=")
		if !joined && k+1 < len(rest) {
			value = rest[k+1].text
		}
		switch flag {
		case "-v", "--volume":
			seen = seen.volume(value)
		case "--mount":
			seen = seen.bound(value)
		case "-w", "--workdir":
			folder = value
		case "--entrypoint":
			entry = value
		}
	}
	command := afterFlags(rest, containerValues)
	if len(seen) == 0 || len(command) < 2 && entry == "" || len(command) == 0 {
		return false
	}
	if command = command[1:]; entry != "" { // past the image
		command = append([]argument{{entry, true}}, command...)
	}
	i.Name, i.Word = name, name
	i.Args, i.Exact = texts(args[1:])
	w.add(i)
	directory, lost := w.directory, w.lost
	for k := range seen {
		if here := seen[k].here; !path.IsAbs(here) && !strings.HasPrefix(here, "~") && !strings.HasPrefix(here, "$") {
			seen[k].here = "$PWD/" + path.Join(directory, here)
		}
	}
	w.mounts, w.directory = seen, path.Clean("/"+folder)
	w.depth++
	w.invoke(command, Invocation{Input: i.Input, Fed: i.Fed})
	w.depth--
	w.mounts, w.directory, w.lost = nil, directory, lost
	return true
}

// texts are the texts of some words, and of each whether the line gives it whole.
func texts(args []argument) (all []string, exact []bool) {
	all, exact = make([]string, len(args)), make([]bool, len(args))
	for k, a := range args {
		all[k], exact[k] = a.text, a.exact
	}
	return all, exact
}

// volume is FOLDER:INSIDE[:options]; a volume with a name is nobody's folder.
func (m mounts) volume(value string) mounts {
	value = strings.ReplaceAll(value, `"`, "")
	from, to, is := strings.Cut(value, ":")
	to, options, _ := strings.Cut(to, ":")
	if !is || from == "" || !strings.ContainsAny(from[:1], "/.~$") || slices.Contains(strings.Split(options, ","), "ro") {
		return m
	}
	return append(m, mount{path.Clean(to), from})
}

// bound is type=bind,source=FOLDER,target=INSIDE.
func (m mounts) bound(value string) mounts {
	one, bind := mount{}, false
	for part := range strings.SplitSeq(strings.ReplaceAll(value, `"`, ""), ",") {
		key, text, _ := strings.Cut(part, "=")
		switch key {
		case "type":
			bind = text == "bind"
		case "source", "src":
			one.here = text
		case "target", "dst", "destination":
			one.inside = path.Clean(text)
		case "readonly", "ro":
			return m
		}
	}
	if !bind || one.here == "" || one.inside == "" {
		return m
	}
	return append(m, one)
}

// place is a path of a container on this machine.
func (m mounts) place(name string) string {
	best, out := -1, inContainer+name
	for _, one := range m {
		rest, is := strings.CutPrefix(name, one.inside)
		if is && (rest == "" || rest[0] == '/' || one.inside == "/") && len(one.inside) > best {
			best = len(one.inside)
			out = strings.TrimSuffix(one.here, "/") + "/" + strings.TrimPrefix(rest, "/")
			if rest == "" || rest == "/" {
				out = one.here
			}
		}
	}
	return out
}

// onHost puts the paths of a command that runs in a container where they are on this machine.
func (m mounts) onHost(i *Invocation) {
	if len(m) == 0 {
		return
	}
	i.Directory = m.place(path.Clean("/" + i.Directory))
	i.Args = slices.Clone(i.Args) // the words themselves may hold scripts that are walked inside
	for k, a := range i.Args {
		if path.IsAbs(a) {
			i.Args[k] = m.place(a)
			continue
		}
		for _, one := range m {
			i.Args[k] = strings.ReplaceAll(i.Args[k], one.inside+"/", one.here+"/")
		}
	}
	for k := range i.Outputs {
		if path.IsAbs(i.Outputs[k].Path) {
			i.Outputs[k].Path = m.place(i.Outputs[k].Path)
		}
	}
	for _, one := range m {
		i.Input = strings.ReplaceAll(i.Input, one.inside+"/", one.here+"/")
	}
}
