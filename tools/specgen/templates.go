package specgen

import (
	"slices"
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
	return "// " + strings.ReplaceAll(wrap(text, 96), "\n", "\n// ")
}

// wrap breaks a text into lines.
func wrap(text string, width int) string {
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := ""
		for w := range strings.FieldsSeq(paragraph) {
			if line != "" && len(line)+1+len(w) > width {
				lines = append(lines, line)
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += w
		}
		lines = append(lines, line)
	}
	return strings.Join(slices.Compact(lines), "\n")
}
