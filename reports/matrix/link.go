package matrix

import (
	"net/url"
	"os"
	"path/filepath"
)

// reportName is the report page of one certification.
const reportName = "report.html"

// PageName is the file that holds the matrix as a page.
const PageName = "matrix.html"

// Beside returns the URL of the report next to a results.json, relative to the future folder of the matrix, or "" if
// there is no report. The URL is escaped: it cannot end a Markdown or HTML link, and no folder name can pass as a
// scheme.
func Beside(resultsFile, from string) string {
	report := filepath.Join(filepath.Dir(resultsFile), reportName)
	if info, err := os.Stat(report); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	// Only two absolute paths are always relative to each other.
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
