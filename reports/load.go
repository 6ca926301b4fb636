package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/reports/conformance"
	"github.com/openassay/assay/scenarios"
)

// ResultsName is the source of every other report.
const ResultsName = "results.json"

// mostResults bounds the bytes of a results.json. It is many times the size of a certification of everything.
const mostResults = 64 << 20

// Load reads a results.json, or the one in a folder. The file may come from anybody: Load refuses other versions and
// documents that their schema rejects or that contradict themselves.
func Load(path string) (results.Results, error) {
	path, raw, err := read(path)
	if err != nil {
		return results.Results{}, err
	}
	doc, err := consistent(raw)
	if err != nil {
		return results.Results{}, fmt.Errorf("read results %s: %w", path, err)
	}
	return doc, nil
}

// LoadForMatrix reads one input of a matrix: a results.json as [Load] does, or a certification bundle of a protocol's
// own suite, recognised by its content. It returns one of the two, and the path of the file.
func LoadForMatrix(path string, own *scenarios.OwnSuite) (doc *results.Results, told *conformance.Bundle, file string, err error) {
	file, raw, err := read(path)
	if err != nil {
		return nil, nil, "", err
	}
	if conformance.Is(raw) {
		told, err := conformance.Parse(raw, own)
		if err != nil {
			return nil, nil, "", fmt.Errorf("read certification bundle %s: %w", file, err)
		}
		return nil, told, file, nil
	}
	parsed, err := consistent(raw)
	if err != nil {
		return nil, nil, "", fmt.Errorf("read results %s: %w", file, err)
	}
	return &parsed, nil, file, nil
}

// read returns the path and the content of a file, or of the results.json in a folder.
func read(path string) (string, []byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, ResultsName)
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && Earlier(path) != "":
		return path, nil, fmt.Errorf("read results %s: there is no such file: %s", path, Earlier(path))
	case errors.Is(err, fs.ErrNotExist):
		return path, nil, fmt.Errorf("read results %s: there is no such file: assay certify TARGET --out DIR writes one", path)
	case err != nil:
		return path, nil, fmt.Errorf("read results: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, mostResults+1))
	switch {
	case err != nil:
		return path, nil, fmt.Errorf("read results: %w", err)
	case len(raw) > mostResults:
		return path, nil, fmt.Errorf("read results %s: it is larger than %d MiB, which no results.json is: certify again", path, mostResults>>20)
	}
	return path, raw, nil
}

// consistent reads the content of a results.json that nothing else is held to.
func consistent(raw []byte) (results.Results, error) {
	doc, err := ParseResults(raw)
	if err != nil {
		return doc, err
	}
	if why := inconsistent(doc); why != "" {
		return results.Results{}, fmt.Errorf("it contradicts itself: %s: was it edited? Certify again", why)
	}
	return doc, nil
}

// ParseResults reads the content of a results.json, which may contradict itself.
func ParseResults(raw []byte) (results.Results, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return results.Results{}, fmt.Errorf("it is not the JSON that assay certify writes (%w): certify again", err)
	}
	if !results.ResultsSchema(head.Schema).Valid() {
		return results.Results{}, fmt.Errorf("its schema is %q, and this Assay reads %q and %q: read it with the Assay that wrote it, "+
			"or certify again", head.Schema, results.ResultsSchemaAssayResults1, results.ResultsSchemaAssayResults2)
	}
	schema, err := resultsSchema()
	if err != nil {
		return results.Results{}, err
	}
	if problems := schema.Validate(raw); len(problems) > 0 {
		words := make([]string, 0, 3)
		for _, p := range problems[:min(len(problems), 3)] {
			words = append(words, p.String())
		}
		return results.Results{}, fmt.Errorf("it is not a valid %s document: %s: was it edited? Certify again", head.Schema,
			strings.Join(words, "; "))
	}
	var doc results.Results
	if err := json.Unmarshal(raw, &doc); err != nil {
		return results.Results{}, fmt.Errorf("decode: %w", err)
	}
	if doc.Schema == results.ResultsSchemaAssayResults1 && Selection(doc.Filter).Narrows() {
		doc.Profiles, doc.Partial = []results.ProfileResult{}, &results.Partial{Asked: int64(len(doc.Scenarios))} // it certified parts, too
	}
	return doc, nil
}

// resultsSchema compiles the schema when the first document is read, not at start.
var resultsSchema = validate.Later(results.Bundled, "Results")
