// Command image makes a container image of built programs, as an OCI layout in a tar file: nothing but the
// programs, a user, certificates of public authorities and folders to write to. It needs no daemon and no
// base image, and gives the same file for the same programs.
//
//	image -version 1.2.3 -out scaffoldwatch_1.2.3_oci.tar linux/amd64=bin/amd64 linux/arm64=bin/arm64
package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is nobody on a host: it owns /data and nothing else.
const user = 65532

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	version := flags.String("version", "", "version of the release, such as 1.2.3")
	revision := flags.String("revision", "", "commit that the programs were built from")
	out := flags.String("out", "", "tar file to write")
	seconds := flags.Int64("epoch", 0, "time of everything in the image, in seconds since 1970")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *version == "" || *out == "" || flags.NArg() == 0 {
		return errors.New("it takes -version, -out and OS/ARCH=FOLDER for each platform")
	}
	made := time.Unix(*seconds, 0).UTC()
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arg := range flags.Args() {
		name, folder, _ := strings.Cut(arg, "=")
		platform, err := v1.ParsePlatform(name)
		if err != nil || folder == "" {
			return fmt.Errorf("%q: it takes OS/ARCH=FOLDER", arg)
		}
		image, err := imageOf(folder, platform, made, labels(*version, *revision))
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: platform},
		})
	}
	return write(index, *version, *out, made)
}

func labels(version, revision string) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "scaffoldwatch",
		"org.opencontainers.image.description": "Keeps coding agents from destroying your work, and checks what they claim.",
		"org.opencontainers.image.version":     version,
		"org.opencontainers.image.revision":    revision,
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
}

// imageOf returns an image of the programs in a folder.
func imageOf(folder string, platform *v1.Platform, made time.Time, labels map[string]string) (v1.Image, error) {
	content, err := files(folder, made)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		tarball.WithMediaType(types.OCILayer),
	)
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", folder, err)
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.AppendLayers(image, layer); err != nil {
		return nil, fmt.Errorf("add %s to an image: %w", folder, err)
	}
	const port = "8420"
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Created: v1.Time{Time: made},
		RootFS:  rootOf(image),
		History: []v1.History{{Created: v1.Time{Time: made}, CreatedBy: "make release"}},
		Config: v1.Config{
			User:       fmt.Sprintf("%d:%d", user, user),
			Entrypoint: []string{"/usr/bin/scaffoldwatch"},
			Cmd:        []string{"up", "--quiet"},
			Env: []string{
				"PATH=/usr/bin", "HOME=/data", "TMPDIR=/data",
				"XDG_DATA_HOME=/data", "XDG_CONFIG_HOME=/data/config", "XDG_CACHE_HOME=/data/cache",
			},
			WorkingDir: "/data", Volumes: map[string]struct{}{"/data": {}},
			ExposedPorts: map[string]struct{}{port + "/tcp": {}},
			Labels:       labels,
			Healthcheck: &v1.HealthConfig{
				Test:     []string{"CMD", "/usr/bin/scaffoldwatch", "up", "--ready"},
				Interval: 15 * time.Second, Timeout: 5 * time.Second, StartPeriod: 30 * time.Second, Retries: 3,
			},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("configure the image of %s: %w", folder, err)
	}
	return image, nil
}

func rootOf(image v1.Image) v1.RootFS {
	file, err := image.ConfigFile()
	if err != nil {
		return v1.RootFS{}
	}
	return file.RootFS
}

// files returns the files of an image, as a tar.
func files(folder string, made time.Time) ([]byte, error) {
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	add := func(name string, mode int64, owner int, content []byte) error {
		header := &tar.Header{
			Name: name, Mode: mode, Uid: owner, Gid: owner, Size: int64(len(content)), ModTime: made,
			Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		}
		if strings.HasSuffix(name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err := archive.Write(content)
		return err
	}
	var failed error
	each := func(err error) { failed = errors.Join(failed, err) }
	for _, name := range []string{"etc/", "etc/ssl/", "etc/ssl/certs/", "usr/", "usr/bin/"} {
		each(add(name, 0o755, 0, nil))
	}
	each(add("data/", 0o700, user, nil))
	passwd := fmt.Appendf(nil, "scaffoldwatch:x:%d:%d:scaffoldwatch:/data:/sbin/nologin\n", user, user)
	each(add("etc/passwd", 0o644, 0, passwd))
	each(add("etc/group", 0o644, 0, fmt.Appendf(nil, "scaffoldwatch:x:%d:\n", user)))
	each(add("etc/ssl/certs/ca-certificates.crt", 0o644, 0, authorities()))
	programs, err := filepath.Glob(filepath.Join(folder, "*"))
	each(err)
	slices.Sort(programs)
	found := 0
	for _, path := range programs {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue // README and LICENSE of the archive
		}
		content, err := os.ReadFile(path)
		each(err)
		each(add("usr/bin/"+filepath.Base(path), 0o755, 0, content))
		found++
	}
	if found == 0 {
		each(fmt.Errorf("%s holds no program", folder))
	}
	if err := errors.Join(failed, archive.Close()); err != nil {
		return nil, fmt.Errorf("collect %s: %w", folder, err)
	}
	return buffer.Bytes(), nil
}

// authorities returns the certificates of public authorities, for webhooks and providers.
func authorities() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue // a file of certificates cannot say what it is trusted for
		}
		text.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
	}
	return text.Bytes()
}

// write writes an index, under a name, as an OCI layout into one tar file.
func write(index v1.ImageIndex, name, out string, made time.Time) error {
	folder, err := os.MkdirTemp("", "image-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	path, err := layout.Write(folder, empty.Index)
	if err == nil {
		err = path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": name}))
	}
	if err != nil {
		return fmt.Errorf("write the layout: %w", err)
	}
	file, err := os.Create(out)
	if err != nil {
		return fmt.Errorf("make the image: %w", err)
	}
	defer file.Close()
	archive := tar.NewWriter(file)
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		header := &tar.Header{
			Name: filepath.ToSlash(name), Mode: 0o644, ModTime: made, Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		}
		if entry.IsDir() {
			header.Name, header.Mode, header.Typeflag = header.Name+"/", 0o755, tar.TypeDir
			return archive.WriteHeader(header)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		header.Size = int64(len(content))
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	})
	if err := errors.Join(err, archive.Close()); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	return nil
}
