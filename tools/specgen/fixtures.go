package specgen

// fixtureFiles copies the fixtures and makes the Go file that embeds them. It returns nothing if there are none.
func (c *contract) fixtureFiles(pkg string) (map[string][]byte, error) {
	if len(c.folder.fixtures) == 0 {
		return nil, nil
	}
	files := map[string][]byte{}
	for name, data := range c.folder.fixtures {
		files["fixtures/"+name] = data
	}
	var err error
	files["fixtures.gen.go"], err = render(fixturesTemplate, struct{ Package string }{pkg})
	return files, err
}

const fixturesTemplate = `
package {{.Package}}

import "embed"

// Fixtures holds the contract's fixtures as fixtures/<id>.json.
//
//go:embed fixtures/*.json
var Fixtures embed.FS
`
