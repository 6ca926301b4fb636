package salt

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"maps"
	"slices"
)

// files returns a folder of JSON files that is held in memory.
func files(of map[string][]byte) (fs.FS, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, id := range slices.Sorted(maps.Keys(of)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: id + ".json", Method: zip.Store})
		if err == nil {
			_, err = f.Write(of[id])
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
}
