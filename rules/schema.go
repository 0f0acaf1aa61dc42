package rules

import (
	"encoding/json"
	"maps"
	"slices"
)

// SchemaID names the JSON Schema of rule files.
const SchemaID = "urn:agentltl:schema:AGENTLTL.yaml:1"

// Schema is the JSON Schema (draft 2020-12) of rule files, made of the loader's
// own tables. A file that it refuses does not load; one that it takes may still
// be refused for what a schema cannot say: unknown entries, formulas that cannot
// fail, variables on one side.
func Schema() []byte {
	props := map[string]any{}
	for _, k := range topTable() {
		if !k.later {
			props[k.name] = k.described(false)
		}
	}
	s := map[string]any{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"$id":                  SchemaID,
		"title":                "AGENTLTL.yaml",
		"description":          "Rules for the tool calls of coding agents.",
		"type":                 []any{"object", "null"},
		"properties":           props,
		"additionalProperties": false,
		"$defs":                schemaDefs(),
	}
	props["settings"] = ref("settings")
	props["use"] = ref("use")
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic("rules: schema: " + err.Error())
	}
	return append(b, '\n')
}

func schemaDefs() map[string]any {
	text := textShape{}.schema()
	return map[string]any{
		"target":      targetSchema(),
		"names":       listOrShape{textShape{}}.schema(),
		"globs":       map[string]any{"anyOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}},
		"mapping":     map[string]any{"type": "object"},
		"rule":        ruleSchema(),
		"settings":    orNull(objectShape{keys: settingKeys(settingsTable())}.schema()),
		"use":         orNull(useShape{}.schema()),
		"spec":        specSchema(true),
		"subspec":     specSchema(false),
		"formulaNode": nodeSchema(),
		"expression":  map[string]any{"type": "string", "pattern": `\S`, "description": "A condition: expr over repo, session, harness, agent, time, count() and last(). Example: `repo.branch == \"main\"`"},
		"contract": map[string]any{
			"type": "object", "required": []any{"template"}, "additionalProperties": false,
			"properties": map[string]any{
				"template": enumShape(templateNames()).schema(),
				"args":     map[string]any{"type": []any{"array", "null"}},
				"kwargs":   map[string]any{"type": []any{"object", "null"}},
			},
		},
		"text": text,
	}
}

// targetKeys are the keys of a target written as a mapping, for the schema.
func targetKeys() []key {
	globs := patternsShape{}
	folders := listOrShape{textShape{blank: true}}
	return []key{
		{name: "tool", shape: listOrShape{textShape{}}, doc: "A tool name, a glob over names, or a list.", example: "git_push"},
		{name: "effect", shape: listOrShape{enumShape(effectNames[:])}, doc: "In place of tool: what the call does.", example: "delete"},
		{name: "with", shape: argumentsShape{}, doc: "Equality of arguments; $name is a variable.", example: "{force: true}"},
		{name: "where", shape: globs, doc: "Patterns of arguments: one matching text is enough.", example: "{paths: \"db/*\"}"},
		{name: "each", shape: globs, doc: "Patterns that every text of an argument must match.", example: "{paths: \"out/*\"}"},
		{name: "exists", shape: boolShape{}, doc: "Some text that where matched, or some path, is on disk, or is not.", example: "true"},
		{name: "succeeded", shape: boolShape{}, doc: "The call ended with status 0, or with another.", example: "true"},
		{name: "outside", shape: folders, doc: "Some path lies below none of the folders.", example: "${root}"},
		{name: "inside", shape: folders, doc: "All paths lie below one of the folders.", example: "[out, tmp]"},
		{name: "not", shape: targetShape{}, doc: "The call does not match this target.", example: "{tool: echo}"},
		{name: "matches", shape: textShape{blank: true}, doc: "A regular expression (RE2) that the field contains.", example: "'npm (run )?test'"},
		{name: "field", shape: textShape{}, doc: "The argument that matches looks at.", example: "command"},
		{name: "case", shape: boolShape{}, doc: "Whether matches minds capitals.", example: "true"},
		{name: "remote", shape: boolShape{}, doc: "Calls that run on another machine, or those that run here.", example: "false"},
	}
}

func targetSchema() map[string]any {
	object := objectShape{keys: targetKeys()}.schema()
	one := func(k string) map[string]any {
		return map[string]any{"required": []any{k}, "properties": map[string]any{k: map[string]any{"not": map[string]any{"type": "null"}}}}
	}
	object["oneOf"] = []any{one("tool"), one("effect")}
	return map[string]any{"anyOf": []any{
		textShape{}.schema(),
		map[string]any{"type": "array", "minItems": 1, "items": textShape{}.schema()},
		map[string]any{"type": "array", "contains": map[string]any{"type": "object"}, "items": ref("target")},
		object,
	}}
}

// ruleSchema has one branch a kind, which says what goes with it.
func ruleSchema() map[string]any {
	props := map[string]any{}
	for _, k := range ruleTable() {
		switch {
		case k.later || k.name == "with" || k.name == "where" || k.name == "let":
		default:
			props[k.name] = k.described(k.required)
		}
	}
	names := []any{"with", "where", "let"}
	for _, name := range slices.Sorted(maps.Keys(props)) {
		names = append(names, name)
	}
	var branches []any
	for _, k := range kinds() {
		names = append(names, k.name)
		own := map[string]any{}
		value := maps.Clone(k.value.schema())
		value["description"] = k.doc + " Example: `" + k.name + ": " + k.example + "`"
		own[k.name] = value
		if k.narrow {
			own["with"] = findKey(ruleTable(), "with").described(false)
			own["where"] = findKey(ruleTable(), "where").described(false)
		}
		if k.name == "ltl" || k.name == "formula" {
			own["let"] = findKey(ruleTable(), "let").described(false)
		}
		branches = append(branches, map[string]any{"required": []any{k.name}, "properties": own})
	}
	return map[string]any{
		"type": "object", "required": []any{"id"}, "properties": props,
		"oneOf": branches, "unevaluatedProperties": false,
		// Said twice, because of this a validator can name the wrong key.
		"propertyNames": map[string]any{"enum": names},
	}
}

// nodeSchema has one branch a node type.
func nodeSchema() map[string]any {
	var branches []any
	for _, t := range nodeTypes() {
		props := map[string]any{}
		var required []any
		for _, f := range t.fields {
			props[f.name] = nodeFieldSchema(f.kind)
			if !f.optional {
				required = append(required, f.name)
			} else {
				props[f.name] = orNull(nodeFieldSchema(f.kind))
			}
		}
		args := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
		need := []any{"type", "args"}
		if required != nil {
			args["required"] = required
		}
		branches = append(branches, map[string]any{
			"type": "object", "required": need, "additionalProperties": false,
			"properties": map[string]any{"type": map[string]any{"const": t.name}, "args": args},
		})
	}
	return map[string]any{"oneOf": branches}
}

func nodeFieldSchema(kind string) map[string]any {
	switch kind {
	case "formula":
		return ref("formulaNode")
	case "tool":
		return map[string]any{"type": "string", "minLength": 1}
	case "tools":
		return map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"type": "string", "minLength": 1}}
	case "int":
		return map[string]any{"type": "integer"}
	case "op":
		return enumShape{"<=", ">=", "==", "<", ">"}.schema()
	case "args":
		return map[string]any{"type": "object"}
	case "var":
		return map[string]any{"type": "string", "pattern": `^[A-Za-z_][A-Za-z0-9_]*$`}
	case "domain", "target":
		return ref("target")
	case "text":
		return map[string]any{"type": "string"}
	}
	return map[string]any{}
}

// specSchema is a command spec (shell.md 5).
func specSchema(top bool) map[string]any {
	str := map[string]any{"type": "string"}
	flag := map[string]any{"type": "boolean"}
	names := map[string]any{"anyOf": []any{str, map[string]any{"type": "array", "items": str}}}
	list := map[string]any{"type": []any{"array", "null"}}
	props := map[string]any{
		"tool": str, "aliases": names, "options": list, "positionals": list,
		"subcommands":    map[string]any{"type": []any{"object", "null"}, "additionalProperties": orNull(ref("subspec"))},
		"after_dashdash": str, "numeric": str, "dashes": str, "any": str, "help": str,
		"run": map[string]any{}, "derive": names, "effects": map[string]any{},
	}
	for _, k := range []string{"posix", "key_value", "negations", "abbrev", "old_bundle", "expression", "new", "after_new", "unknown_paths", "extend"} {
		props[k] = flag
	}
	if top {
		props["like"] = str
		props["examples"] = list
	}
	return map[string]any{"type": []any{"object", "null"}, "properties": props, "additionalProperties": false}
}
