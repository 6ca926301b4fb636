package specgen

import (
	"strings"
	"text/template"

	"github.com/openassay/assay/tools/specgen/internal/golang"
)

// render executes a template and tidies the resulting Go code.
func render(text string, data any) ([]byte, error) {
	t, err := template.New("").Funcs(template.FuncMap{"comment": comment, "lower": strings.ToLower}).Parse(text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(golang.Header)
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	return tidy(b.String())
}

// comment formats text as a Go comment.
func comment(text string) string {
	return "// " + strings.ReplaceAll(golang.Wrap(text, 96), "\n", "\n// ")
}
