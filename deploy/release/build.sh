#!/usr/bin/env bash
# Makes a release below OUT: an archive for each platform, Debian packages, packages for npm, a container
# image, what each program is made of (SBOM), and checksums of all. Syntax trees need a C compiler for the
# platform; where there is none the programs read code by patterns only, and the archive's README says so.
# Programs for Linux are linked statically: they run on every distribution, and in an image of nothing else.
#
#   VERSION=1.2.3 ./deploy/release/build.sh                       every platform
#   VERSION=1.2.3 PLATFORMS=linux/amd64 ./deploy/release/build.sh this one
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${VERSION:?set VERSION, such as 1.2.3}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || { echo "VERSION=$version: it takes three numbers, such as 1.2.3" >&2; exit 2; }
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}
out=${OUT:-bin/release}
module=github.com/scaffoldwatch/scaffoldwatch
programs="scaffoldwatch scaffoldwatch-hook ingest evaluator dispatcher reporter advisor"
short=${PROGRAMS:-$programs}
revision=$(git rev-parse HEAD 2>/dev/null || true)
host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
rm -rf "$out" && mkdir -p "$out" && out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
share=$work/share

# compiler is the C compiler for a platform, nothing where there is none.
compiler() {
	local cc=""
	case $1 in
	"$host") cc=gcc ;;
	linux/arm64) cc=aarch64-linux-gnu-gcc ;;
	linux/amd64) cc=x86_64-linux-gnu-gcc ;;
	windows/amd64) cc=x86_64-w64-mingw32-gcc ;;
	esac
	[ -n "$cc" ] && command -v "$cc" || true
}

# packed is a reproducible archive of a folder in the current one.
packed() { tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$1" | gzip -n -9 >"$2"; }

# built builds the programs of a platform into a folder.
built() {
	local os=${1%/*} arch=${1#*/} folder=$2 exe=$3 cc=$4 tags=gore2regex link=""
	# glibc's own resolver and user database cannot be linked statically; Go has both.
	[ "$os" = linux ] && tags=gore2regex,netgo,osusergo
	for program in $short; do
		local cgo=0
		link=""
		if [ -n "$cc" ] && [ "$program" != scaffoldwatch-hook ]; then
			cgo=1
			[ "$os" = darwin ] || link='-linkmode external -extldflags "-static"'
		fi
		GOOS=$os GOARCH=$arch CGO_ENABLED=$cgo CC=$cc go build -trimpath -buildvcs=false -tags "$tags" \
			-ldflags="-s -w -X $module/internal/buildinfo.Revision=$revision -X $module/internal/buildinfo.Release=v$version $link" -o "$folder/$program$exe" "./cmd/$program"
	done
}

# documents has a program of this machine write its manual page and completions (CO-1).
documents() {
	local program=$1
	mkdir -p "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
	"$program" man >"$share/man/man1/scaffoldwatch.1"
	completion() { "$program" completion -c "$1" | sed "s|[^ ]*/scaffoldwatch|scaffoldwatch|"; echo; }
	completion bash >"$share/bash-completion/completions/scaffoldwatch"
	completion fish >"$share/fish/vendor_completions.d/scaffoldwatch.fish"
	# zsh runs the file at the first completion of the command, which must answer already.
	{
		echo "#compdef scaffoldwatch"
		completion zsh
		echo "_bash_complete -o default -o bashdefault -C scaffoldwatch"
	} >"$share/zsh/vendor-completions/_scaffoldwatch"
}

build() {
	local platform=$1 os=${1%/*} arch=${1#*/} cc name folder exe="" trees
	[ "$os" = windows ] && exe=.exe
	cc=$(compiler "$platform")
	trees="Code is read by syntax trees."
	[ -z "$cc" ] && trees="Built without a C compiler: code is read by patterns only, and findings that need a syntax tree are fewer (scaffoldwatch doctor says so)."
	name=scaffoldwatch_${version}_${os}_${arch}
	folder=$work/$name
	mkdir -p "$folder"
	built "$platform" "$folder" "$exe" "$cc"
	if [ ! -d "$share" ]; then
		if [ "$platform" = "$host" ]; then
			documents "$folder/scaffoldwatch"
		else
			go build -trimpath -buildvcs=false -tags gore2regex -o "$work/scaffoldwatch" ./cmd/scaffoldwatch
			documents "$work/scaffoldwatch"
		fi
	fi
	cp -r LICENSE "$share" "$folder/"
	printf 'scaffoldwatch %s for %s/%s\n\n%s\n\nPut scaffoldwatch%s and scaffoldwatch-hook%s on your PATH, then: scaffoldwatch\n\nshare/ holds the manual page and completions for bash, zsh and fish.\n' "$version" "$os" "$arch" "$trees" "$exe" "$exe" >"$folder/README"
	sbom "$folder/scaffoldwatch$exe" >"$out/$name.sbom.json"
	if [ "$os" = windows ] && command -v zip >/dev/null; then
		find "$folder" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
		(cd "$work" && TZ=UTC zip -qrX "$out/$name.zip" "$name")
	else
		(cd "$work" && packed "$name" "$out/$name.tar.gz")
	fi
	npm_platform "$os" "$arch" "$folder" "$exe"
	if [ "$os" = linux ]; then
		command -v dpkg-deb >/dev/null && deb "$arch" "$folder"
		images+=("$platform=$folder")
	fi
}

# sbom lists the modules of a program (CycloneDX 1.5), as the program itself names them.
sbom() {
	go version -m "$1" | awk -v version="$version" '
		BEGIN { printf "{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.5\",\"version\":1,\"metadata\":{\"component\":{\"type\":\"application\",\"name\":\"scaffoldwatch\",\"version\":\"%s\"}},\"components\":[", version }
		$1 == "dep" { printf "%s{\"type\":\"library\",\"name\":\"%s\",\"version\":\"%s\",\"purl\":\"pkg:golang/%s@%s\"}", sep, $2, $3, $2, $3; sep = "," }
		END { print "]}" }'
}

deb() {
	local arch=$1 folder=$2 root
	root=$(mktemp -d)
	install -Dm755 -t "$root/usr/bin" "$folder/scaffoldwatch" "$folder/scaffoldwatch-hook"
	install -Dm644 LICENSE "$root/usr/share/doc/scaffoldwatch/copyright"
	cp -r "$share" "$root/usr/"
	gzip -n -9 "$root/usr/share/man/man1/scaffoldwatch.1"
	mkdir -p "$root/DEBIAN"
	cat >"$root/DEBIAN/control" <<-CONTROL
		Package: scaffoldwatch
		Version: ${version/-/\~}
		Architecture: $arch
		Maintainer: scaffoldwatch <maintainers@scaffoldwatch.invalid>
		Recommends: git
		Section: devel
		Priority: optional
		Description: keeps coding agents from destroying your work
		 Denies commands that would destroy your work, checks what agents claim
		 against what they did, and halts runs that go wrong.
	CONTROL
	chmod 755 "$root"
	dpkg-deb --root-owner-group -Zgzip -b "$root" "$out/scaffoldwatch_${version}_$arch.deb" >/dev/null
	rm -rf "$root"
}

# npm_platform packs the programs of a platform for npm, under npm's names of it.
npm_platform() {
	local os=$1 arch=$2 folder=$3 exe=$4 root
	[ "$os" = windows ] && os=win32
	[ "$arch" = amd64 ] && arch=x64
	root=$(mktemp -d)/package
	install -Dm755 -t "$root/bin" "$folder/scaffoldwatch$exe" "$folder/scaffoldwatch-hook$exe"
	cp LICENSE "$root/"
	printf '{"name":"scaffoldwatch-%s-%s","version":"%s","description":"scaffoldwatch for %s %s","license":"Apache-2.0","os":["%s"],"cpu":["%s"]}\n' \
		"$os" "$arch" "$version" "$os" "$arch" "$os" "$arch" >"$root/package.json"
	(cd "$(dirname "$root")" && packed package "$out/scaffoldwatch-$os-$arch-$version.tgz")
	rm -rf "$(dirname "$root")"
	optional+=("\"scaffoldwatch-$os-$arch\":\"$version\"")
}

# npm_wrapper is the package that people name: it runs the one of their platform.
npm_wrapper() {
	local root list
	list=$(IFS=,; echo "${optional[*]}")
	root=$(mktemp -d)/package
	install -Dm755 deploy/release/npm/scaffoldwatch.js "$root/scaffoldwatch.js"
	install -Dm755 deploy/release/npm/scaffoldwatch.js "$root/scaffoldwatch-hook.js"
	cp LICENSE "$root/"
	printf '# scaffoldwatch\n\nKeeps coding agents from destroying your work, and checks what they claim. `npx scaffoldwatch` reads your last session; nothing leaves your machine.\n' >"$root/README.md"
	printf '{"name":"scaffoldwatch","version":"%s","description":"Keeps coding agents from destroying your work, and checks what they claim","license":"Apache-2.0","bin":{"scaffoldwatch":"scaffoldwatch.js","scaffoldwatch-hook":"scaffoldwatch-hook.js"},"engines":{"node":">=18"},"optionalDependencies":{%s}}\n' "$version" "$list" >"$root/package.json"
	(cd "$(dirname "$root")" && packed package "$out/scaffoldwatch-$version.tgz")
	rm -rf "$(dirname "$root")"
}

# image puts the programs for Linux into one container image, for each machine its own.
image() {
	[ ${#images[@]} -gt 0 ] || return 0
	(cd tools/release && go build -trimpath -o "$work/image" ./image)
	"$work/image" -version "$version" -revision "$revision" -epoch "$SOURCE_DATE_EPOCH" -out "$out/scaffoldwatch_${version}_oci.tar" "${images[@]}"
}

optional=()
images=()
for platform in $platforms; do [ "$platform" = "$host" ] && build "$platform"; done
for platform in $platforms; do [ "$platform" = "$host" ] || build "$platform"; done
npm_wrapper
image
(cd "$out" && sha256sum -- * >SHA256SUMS)
echo "$out:"
cat "$out/SHA256SUMS"
