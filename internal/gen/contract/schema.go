package contract

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const eventsPackage = "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// Generator generates JSON Schemas from the Go types of the contract.
type Generator struct {
	comments map[string]string
}

// NewGenerator reads the doc comments of the events package, which become the descriptions. The working
// directory must be pkg/events.
func NewGenerator() (*Generator, error) {
	r := &jsonschema.Reflector{}
	if err := r.AddGoComments(eventsPackage, "."); err != nil {
		return nil, fmt.Errorf("read the comments of %s: %w", eventsPackage, err)
	}
	return &Generator{comments: r.CommentMap}, nil
}

// Schema returns the JSON Schema of the data of one type, indented, with a final newline.
func (g *Generator) Schema(d events.Descriptor) ([]byte, error) {
	r := &jsonschema.Reflector{
		Anonymous: true, AllowAdditionalProperties: true, ExpandedStruct: true,
		Mapper: special, LookupComment: g.comment,
	}
	s := r.Reflect(d.New())
	s.ID = jsonschema.ID(events.SchemaID(d.Type))
	s.Title = string(d.Type)
	s.Description = d.Doc
	for _, definition := range s.Definitions {
		closeEnums(definition)
	}
	closeEnums(s)
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema of %s: %w", d.Type, err)
	}
	return append(out, '\n'), nil
}

// comment returns the comment of a type or field. For a type that is defined as another one
// (ScaffoldStarted as ScaffoldChanged), it looks up the fields there.
func (g *Generator) comment(t reflect.Type, field string) string {
	key := t.PkgPath() + "." + t.Name()
	if field == "" {
		return g.comments[key]
	}
	if text := g.comments[key+"."+field]; text != "" {
		return text
	}
	return g.comments[t.PkgPath()+"."+sameShape[t.Name()]+"."+field]
}

// sameShape maps a type to the one that documents its fields.
var sameShape = map[string]string{
	"ScaffoldStarted": "ScaffoldChanged", "ScaffoldCommitted": "ScaffoldChanged", "ScaffoldFailed": "ScaffoldChanged",
	"WorktreeCreated": "WorktreeChanged", "WorktreeRemoved": "WorktreeChanged",
	"HookInstalled": "HookChanged", "HookRemoved": "HookChanged",
	"ViolationDetected": "Judgement", "WarningIssued": "Judgement",
	"NotificationSent": "Notification", "NotificationHeld": "Notification",
}

// special returns the schema of types with custom encoding.
func special(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[sessionevents.Urgency]():
		return &jsonschema.Schema{Type: "number", Description: "written with one decimal place"}
	case reflect.TypeFor[sessionevents.Money]():
		return &jsonschema.Schema{Type: "number", Description: "US dollars, in millionths"}
	case reflect.TypeFor[sessionevents.Agent]():
		return agentSchema()
	case reflect.TypeFor[runevents.TextList]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}}}}
	case reflect.TypeFor[runevents.Tally]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer"}, {Type: "array"}}, Description: "how many, or the list of them"}
	case reflect.TypeFor[runevents.Artifact]():
		return &jsonschema.Schema{Description: "a document {kind, version, …fields}; judged against its contract (PL-1)"}
	}
	return nil
}

// agentSchema allows an object or a bare id.
func agentSchema() *jsonschema.Schema {
	object := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties()}
	t := reflect.TypeFor[sessionevents.Agent]()
	for i := range t.NumField() {
		object.Properties.Set(fieldName(t.Field(i)), &jsonschema.Schema{Type: "string"})
	}
	return &jsonschema.Schema{
		Description: "who produced the turn; a plain string is its id",
		OneOf:       []*jsonschema.Schema{{Type: "string"}, object},
	}
}

func fieldName(f reflect.StructField) string {
	name := f.Tag.Get("json")
	for i := range name {
		if name[i] == ',' {
			return name[:i]
		}
	}
	return name
}

// closeEnums allows an optional enumerated text to be empty as well, as events.Validate does.
func closeEnums(s *jsonschema.Schema) {
	if s.Properties == nil {
		return
	}
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if len(p.Value.Enum) > 0 && p.Value.Type == "string" && !required[p.Key] {
			p.Value.Enum = append(p.Value.Enum, "")
		}
	}
}
