// Package markdowntest parses Markdown as GitHub does, for tests of reports.
package markdowntest

import (
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Document lists the elements of a page.
type Document struct {
	Links  []string // destinations, including those of automatic links
	Images []string
	HTML   int // pieces of raw HTML
	Tables []Table
	Code   []string // texts of code spans
	Heads  []string // levels and texts of headings
}

// Table holds the number of cells in each row, the head first.
type Table []int

// Read parses a document.
func Read(t testing.TB, source string) Document {
	t.Helper()
	raw := []byte(source)
	var d Document
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(raw))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			d.Links = append(d.Links, string(n.Destination))
		case *ast.AutoLink:
			d.Links = append(d.Links, string(n.URL(raw)))
		case *ast.Image:
			d.Images = append(d.Images, string(n.Destination))
		case *ast.RawHTML, *ast.HTMLBlock:
			d.HTML++
		case *ast.CodeSpan:
			d.Code = append(d.Code, words(n, raw))
		case *ast.Heading:
			d.Heads = append(d.Heads, "######"[:n.Level]+" "+words(n, raw))
		case *extended.Table:
			d.Tables = append(d.Tables, nil)
		case *extended.TableRow, *extended.TableHeader:
			last := len(d.Tables) - 1
			d.Tables[last] = append(d.Tables[last], n.ChildCount())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// words returns the text below a node.
func words(n ast.Node, raw []byte) string {
	var out []byte
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, is := c.(*ast.Text); is {
			out = append(out, t.Segment.Value(raw)...)
			continue
		}
		out = append(out, words(c, raw)...)
	}
	return string(out)
}
