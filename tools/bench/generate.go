package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/openassay/assay/tools/specgen"
)

// generate measures the generator in memory, on our own specs and on the folder of --schemas.
func (b *bench) generate(ctx context.Context) ([]row, error) {
	begin := time.Now()
	for _, o := range specgen.Targets(".") {
		if _, err := specgen.Generate(ctx, o); err != nil {
			return nil, err
		}
	}
	rows := []row{{"assay generate", "1 s", round(time.Since(begin))}}
	if b.schemas == "" {
		return rows, nil
	}
	entries, err := os.ReadDir(b.schemas)
	if err != nil {
		return nil, err
	}
	into, cleanUp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer cleanUp()
	begin = time.Now()
	if _, err := specgen.Generate(ctx, specgen.Options{Spec: b.schemas, Into: into, Package: "upstream"}); err != nil {
		return nil, err
	}
	return append(rows, row{fmt.Sprintf("assay generate of %d files in %s", len(entries), b.schemas), "2 s", round(time.Since(begin))}), nil
}

// temporary makes a folder that cleanUp removes.
func temporary() (dir string, cleanUp func(), err error) {
	dir, err = os.MkdirTemp("", "assay-bench-*")
	return dir, func() { os.RemoveAll(dir) }, err
}
