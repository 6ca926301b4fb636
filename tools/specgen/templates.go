package specgen

import (
	"strings"
	"text/template"
)

// render executes a template and tidies the resulting Go code.
func render(text string, data any) ([]byte, error) {
	t, err := template.New("").Funcs(template.FuncMap{"comment": comment, "goType": typeName, "lower": strings.ToLower}).Parse(text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(header)
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	return tidy(b.String())
}

// comment formats text as a Go comment.
func comment(text string) string {
	return "// " + strings.ReplaceAll(wrap(text, 96), "\n", "\n// ")
}
