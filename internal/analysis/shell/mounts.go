package shell

import (
	"path"
	"slices"
	"strings"
)

// mounts are folders of this machine that are visible in a container, so that changes
// there are changes here.
type mounts []mount

// mount is a folder with its path inside the container and on this machine.
type mount struct{ inside, here string }

// inContainer is where everything else in a container is assumed to be.
const inContainer = "/tmp/container"

// containerValues are flags of docker run whose next word is a value.
var containerValues = []string{
	"-v", "--volume", "--mount", "-w", "--workdir", "-e", "--env", "--env-file", "-p", "--publish", "--name", "--network", "--net", "-u", "--user", "--entrypoint", "-h", "--hostname",
	"-m", "--memory", "--cpus", "-l", "--label", "--platform", "--pull", "--restart", "--tmpfs", "--device", "--add-host", "--cap-add", "--cap-drop", "--gpus", "--ip", "--ipc", "--pid",
	"--security-opt", "--shm-size", "--ulimit", "--userns", "--log-driver", "--log-opt", "--dns", "--volumes-from", "--cidfile", "-a", "--attach", "-c", "--cpu-shares", "--health-cmd", "--runtime",
}

// mounted follows the command of a container in which folders of this machine are
// visible. It reports whether there are any.
func (w *invocations) mounted(args []argument, i Invocation) bool {
	name, rest := w.p.unwrap(args)
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
	if command = command[1:]; entry != "" { // after the image
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

// texts returns the texts of some words, and whether each is exact.
func texts(args []argument) (all []string, exact []bool) {
	all, exact = make([]string, len(args)), make([]bool, len(args))
	for k, a := range args {
		all[k], exact[k] = a.text, a.exact
	}
	return all, exact
}

// volume adds FOLDER:INSIDE[:options]; a named volume is not a folder of this machine.
func (m mounts) volume(value string) mounts {
	value = strings.ReplaceAll(value, `"`, "")
	from, to, is := strings.Cut(value, ":")
	to, options, _ := strings.Cut(to, ":")
	if !is || from == "" || !strings.ContainsAny(from[:1], "/.~$") || slices.Contains(strings.Split(options, ","), "ro") {
		return m
	}
	return append(m, mount{path.Clean(to), from})
}

// bound adds type=bind,source=FOLDER,target=INSIDE.
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

// place returns the path on this machine of a path in a container.
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

// onHost translates the paths of a command that runs in a container to this machine.
func (m mounts) onHost(i *Invocation) {
	if len(m) == 0 {
		return
	}
	i.Directory = m.place(path.Clean("/" + i.Directory))
	i.Args = slices.Clone(i.Args) // the words themselves may contain scripts that are walked inside
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
