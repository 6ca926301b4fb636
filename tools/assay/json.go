package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/openassay/assay/internal/textsafe"
)

// writeJSON prints what a command has to say as JSON, which is safe on a terminal.
func writeJSON(out io.Writer, command string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: encode it as JSON: %w", command, err)
	}
	_, err = out.Write(append(textsafe.JSON(raw), '\n'))
	return err
}
