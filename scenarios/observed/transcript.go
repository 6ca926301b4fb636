package observed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// file adds the entries of a transcript. Other JSON may stand beside transcripts.
func (j *joined) file(folder fs.FS, name string) error {
	if strings.HasSuffix(name, "request.json") || strings.HasSuffix(name, "response.json") || strings.HasSuffix(name, ".events.json") {
		return nil
	}
	content, err := j.content(folder, name)
	if content == nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(content))
	schema, err := j.members(d, name)
	switch {
	case schema != scenarios.TranscriptSchema:
		j.leave(name, fmt.Errorf("it is no %s", scenarios.TranscriptSchema))
	case err != nil:
		j.leave(name, fmt.Errorf("what stands behind byte %d cannot be read: %w", d.InputOffset(), err))
	}
	return nil
}

// members reads the members of a transcript, whose schema stands first.
func (j *joined) members(d *json.Decoder, name string) (schema string, err error) {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", orNoSchema(err)
	}
	for d.More() {
		member, err := d.Token()
		if err != nil {
			return schema, err
		}
		switch {
		case member == "schema":
			if err := d.Decode(&schema); err != nil || schema != scenarios.TranscriptSchema {
				return "", orNoSchema(err)
			}
			j.files++
		case schema == "":
			return "", errNoSchema
		case member == "entries":
			if err := j.list(d, name); err != nil {
				return schema, err
			}
		default:
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return schema, err
			}
		}
	}
	return schema, nil
}

var errNoSchema = errors.New("it does not begin with its schema")

func orNoSchema(err error) error {
	if err != nil {
		return err
	}
	return errNoSchema
}

// list reads entries one by one.
func (j *joined) list(d *json.Decoder, name string) error {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return orNoSchema(err)
	}
	for n := 1; d.More(); n++ {
		var e wire.Entry
		if err := d.Decode(&e); err != nil {
			var other *json.UnmarshalTypeError
			if !errors.As(err, &other) {
				return err
			}
			j.leave(name, fmt.Errorf("entry %d: %w", n, err))
			continue
		}
		if err := e.Check(); err != nil {
			j.leave(name, fmt.Errorf("entry %d: %w", n, err))
			continue
		}
		j.entries = append(j.entries, placed{e, place(name, n)})
	}
	_, err := d.Token()
	return err
}
