package deployed

import (
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // helm says of each link in the chart that it follows it
	os.Exit(m.Run())
}

const chartFolder = "../../../deploy/helm/scaffoldwatch"

// render renders the chart with values of YAML.
func render(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	chart, err := loader.Load(chartFolder)
	require.NoError(t, err)
	given := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(values), &given))
	capabilities := *chartutil.DefaultCapabilities
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.31.0", Major: "1", Minor: "31"}
	release := chartutil.ReleaseOptions{Name: "scaffoldwatch", Namespace: "watch", IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, given, release, &capabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

// deployment is what a rendered chart makes, each kind by name.
type deployment struct {
	pods     map[string]core.PodSpec
	replicas map[string]int32 // of each that is no job
	budgets  map[string]policy.PodDisruptionBudget
	walls    map[string]networking.NetworkPolicy
	services map[string]core.Service
	config   core.ConfigMap
	all      string
}

// rendered decodes what the chart makes; a field that Kubernetes does not know fails.
func rendered(t *testing.T, values string) deployment {
	t.Helper()
	files, err := render(t, values)
	require.NoError(t, err)
	d := deployment{
		pods: map[string]core.PodSpec{}, replicas: map[string]int32{}, budgets: map[string]policy.PodDisruptionBudget{},
		walls: map[string]networking.NetworkPolicy{}, services: map[string]core.Service{},
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range releaseutil.SplitManifests(files[name]) {
			d.all += document + "\n"
			d.take(t, document)
		}
	}
	return d
}

func (d *deployment) take(t *testing.T, document string) {
	t.Helper()
	strict := func(into any) { require.NoError(t, yaml.UnmarshalStrict([]byte(document), into), document) }
	var head struct{ Kind string }
	require.NoError(t, yaml.Unmarshal([]byte(document), &head))
	switch head.Kind {
	case "": // only a comment
		var nothing any
		strict(&nothing)
		require.Nil(t, nothing)
	case "Deployment":
		var one apps.Deployment
		strict(&one)
		require.Equal(t, one.Spec.Selector.MatchLabels, one.Spec.Template.Labels)
		d.pods[one.Name], d.replicas[one.Name] = one.Spec.Template.Spec, *one.Spec.Replicas
	case "StatefulSet":
		var one apps.StatefulSet
		strict(&one)
		require.Equal(t, one.Spec.Selector.MatchLabels, one.Spec.Template.Labels)
		d.pods[one.Name], d.replicas[one.Name] = one.Spec.Template.Spec, *one.Spec.Replicas
	case "Job":
		var one batch.Job
		strict(&one)
		d.pods[one.Name] = one.Spec.Template.Spec
	case "PodDisruptionBudget":
		var one policy.PodDisruptionBudget
		strict(&one)
		d.budgets[one.Name] = one
	case "NetworkPolicy":
		var one networking.NetworkPolicy
		strict(&one)
		d.walls[one.Name] = one
	case "Service":
		var one core.Service
		strict(&one)
		d.services[one.Name] = one
	case "ConfigMap":
		strict(&d.config)
	case "PersistentVolumeClaim":
		strict(&core.PersistentVolumeClaim{})
	default:
		t.Errorf("the chart makes a %q, which nothing here looks at", head.Kind)
	}
}

// The chart passes helm's own linter (CO-21).
func TestChartIsLinted(t *testing.T) {
	version := chartutil.KubeVersion{Version: "v1.31.0", Major: "1", Minor: "31"}
	result := lint.AllWithKubeVersion(chartFolder, nil, "watch", &version)
	for _, message := range result.Messages {
		if message.Severity > support.InfoSev {
			t.Errorf("%s: %s", message.Path, message.Err)
		}
	}
	require.NotEmpty(t, result.Messages)
}

// Every pod runs without rights, is asked how it is, may be evicted one at a time, and is reached by nobody
// but those named (CO-21).
func TestChartIsHardened(t *testing.T) {
	d := rendered(t, "")
	require.ElementsMatch(t, []string{
		"scaffoldwatch-ingest", "scaffoldwatch-evaluator", "scaffoldwatch-dispatcher", "scaffoldwatch-reporter",
		"scaffoldwatch-nats", "scaffoldwatch-streams",
	}, slices.Collect(maps.Keys(d.pods)))
	for name, pod := range d.pods {
		require.False(t, *pod.AutomountServiceAccountToken, name)
		require.True(t, *pod.SecurityContext.RunAsNonRoot, name)
		require.EqualValues(t, 65532, *pod.SecurityContext.RunAsUser, name)
		require.Equal(t, core.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
		require.Contains(t, d.walls, name)
		for _, container := range pod.Containers {
			require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem, name)
			require.False(t, *container.SecurityContext.AllowPrivilegeEscalation, name)
			require.Equal(t, []core.Capability{"ALL"}, container.SecurityContext.Capabilities.Drop)
			require.NotNil(t, container.Resources.Limits.Memory(), name)
			mounts(t, name, pod, container)
			if name == "scaffoldwatch-streams" {
				continue // it ends
			}
			require.NotNil(t, container.StartupProbe, name)
			require.NotNil(t, container.LivenessProbe, name)
			require.NotNil(t, container.ReadinessProbe, name)
		}
	}
	for _, name := range []string{"ingest", "evaluator", "dispatcher", "nats"} {
		require.Contains(t, d.budgets, "scaffoldwatch-"+name)
	}
	require.Equal(t, "/readyz", d.pods["scaffoldwatch-ingest"].Containers[0].ReadinessProbe.HTTPGet.Path)
	require.Contains(t, d.config.Data["nats.conf"], "sync_interval: always")
	require.Contains(t, d.config.Data["cluster.conf"], `include "nats.conf"`)
}

// mounts requires that what a container mounts is a volume of its pod, and that the signing seed and the
// tokens of others are not among its files.
func mounts(t *testing.T, name string, pod core.PodSpec, container core.Container) {
	t.Helper()
	volumes := map[string]core.Volume{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = v
	}
	for _, m := range container.VolumeMounts {
		if m.Name == "data" && name == "scaffoldwatch-nats" {
			continue // of its claim
		}
		require.Contains(t, volumes, m.Name, name)
	}
	for _, item := range volumes["files"].Secret.Items {
		if strings.HasSuffix(item.Key, ".seed") {
			require.Equal(t, name, "scaffoldwatch-"+strings.TrimSuffix(item.Key, ".seed"))
		}
		if strings.HasSuffix(item.Key, ".token") {
			require.Equal(t, "scaffoldwatch-ingest", name)
		}
		require.NotContains(t, item.Key, "ca.key")
	}
	require.Empty(t, container.EnvFrom, "each variable is named")
}

// A wrong value is refused with its name, and a broker of one's own takes the place of the chart's.
func TestChartValues(t *testing.T) {
	for values, names := range map[string]string{
		"ingest: {replicas: 0}":                                           "/ingest/replicas",
		"ingest: {replica: 2}":                                            "replica",
		"streams: {partitions: 300, replicas: 3}":                         "/streams/partitions",
		"streams: {partitions: 16, replicas: 2}":                          "/streams/replicas",
		"nats: {enabled: false}":                                          "/nats/url",
		"networkPolicy: {agents: [everybody]}":                            "/networkPolicy/agents",
		"extraEnv: {SCAFFOLDWATCH_STREAMS_PARTITIONS: 4}":                 "/extraEnv/SCAFFOLDWATCH_STREAMS_PARTITIONS",
		"evaluator: {replicas: 1, resources: {requests: {memory: much}}}": "/evaluator/resources",
	} {
		_, err := render(t, values)
		require.ErrorContains(t, err, names, values)
	}
	d := rendered(t, "{nats: {enabled: false, url: \"tls://nats.example:4222\"}, networkPolicy: {enabled: false}}")
	require.NotContains(t, d.pods, "scaffoldwatch-nats")
	require.Empty(t, d.walls)
	require.Contains(t, d.all, "tls://nats.example:4222")
	require.Contains(t, rendered(t, "networkPolicy: {agents: [10.0.0.0/8]}").all, "cidr: 10.0.0.0/8")
}
