package assay_test

import "testing"

const manifestExample = "testdata/bundle-manifest.json"

func TestBundleManifestExample(t *testing.T) {
	if err := compile(t, "bundle-manifest").Validate(read(t, manifestExample)); err != nil {
		t.Errorf("%#v", err)
	}
}

func TestBundleManifestRefusals(t *testing.T) {
	transcript := func(doc map[string]any) map[string]any { return doc["transcripts"].([]any)[1].(map[string]any) }
	cases := map[string]struct {
		spoil     func(doc map[string]any)
		at, under string // instance location and keyword of one of the problems
	}{
		"another format":              {func(d map[string]any) { d["schema"] = "assay.bundle/3" }, "/schema", "enum"},
		"nothing of the program":      {func(d map[string]any) { delete(d["assay"].(map[string]any), "binary") }, "/assay", "required"},
		"format 1 with a register":    {func(d map[string]any) { d["schema"] = "assay.bundle/1" }, "", "not"},
		"a field more":                {func(d map[string]any) { d["signer"] = "me" }, "", "additionalProperties"},
		"no root":                     {func(d map[string]any) { delete(d, "root") }, "", "required"},
		"a root that is none":         {func(d map[string]any) { d["root"] = "ABC" }, "/root", "pattern"},
		"a seed that is a number":     {func(d map[string]any) { d["seed"] = 7 }, "/seed", "type"},
		"a seed that is none":         {func(d map[string]any) { d["seed"] = "07" }, "/seed", "pattern"},
		"nothing that was seen":       {func(d map[string]any) { d["transcripts"] = []any{} }, "/transcripts", "minItems"},
		"a transcript without leaves": {func(d map[string]any) { delete(transcript(d), "exchanges") }, "/transcripts/1", "required"},
		"a transcript elsewhere": {func(d map[string]any) { transcript(d)["file"] = "transcripts/../x.json" },
			"/transcripts/1/file", "pattern"},
		"fewer bytes than none": {func(d map[string]any) { d["results"].(map[string]any)["bytes"] = -1 }, "/results/bytes", "minimum"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { refused(t, "bundle-manifest", manifestExample, tc.spoil, tc.at, tc.under) })
	}
}
