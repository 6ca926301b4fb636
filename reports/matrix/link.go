package matrix

import (
	"net/url"
	"os"
	"path/filepath"
)

// reportName is the page that people read of one certification.
const reportName = "report.html"

// PageName is the file that holds the matrix as a page.
const PageName = "matrix.html"

// Beside is the URL of the report that lies beside a results.json, relative to the folder from, in which the matrix will lie.
// It is "" where there is no such report. The URL is escaped: nothing in it ends a link of Markdown or HTML, and no name of a
// folder is taken for a scheme.
func Beside(resultsFile, from string) string {
	report := filepath.Join(filepath.Dir(resultsFile), reportName)
	if info, err := os.Stat(report); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	// Both absolute: only then is one always relative to the other.
	report, err := filepath.Abs(report)
	if err != nil {
		return ""
	}
	from, err = filepath.Abs(from)
	if err != nil {
		return ""
	}
	relative, err := filepath.Rel(from, report)
	if err != nil {
		return "" // on another volume
	}
	return (&url.URL{Path: filepath.ToSlash(relative)}).String()
}
