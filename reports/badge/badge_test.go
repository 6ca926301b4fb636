package badge_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/reports/badge"
)

var update = flag.Bool("update", false, "write the badges as they are now into testdata")

var statuses = []results.ProfileStatus{
	results.ProfileStatusCertified, results.ProfileStatusAttested, results.ProfileStatusUnproved, results.ProfileStatusViolated,
	results.ProfileStatusInapplicable,
}

func endpoint(t *testing.T, b badge.Badge) string {
	t.Helper()
	raw, err := b.Endpoint()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestGolden(t *testing.T) {
	for _, s := range statuses {
		b := badge.Of(results.ProfileResult{ID: "loop-v5", Status: s, Proved: 3, Required: 17}, "")
		for name, got := range map[string]string{string(s) + ".svg": string(b.SVG()), string(s) + ".json": endpoint(t, b)} {
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s differs (-want +got); if that is meant, run go test ./reports/badge -update:\n%s", path, diff)
			}
			if strings.Contains(got, "%") || strings.ContainsAny(b.Message, "0123456789") {
				t.Errorf("%s tells a number: %s", name, got)
			}
		}
	}
}

// picture is what a reader of XML finds in a badge.
type picture struct {
	XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
	Width   int      `xml:"width,attr"`
	Role    string   `xml:"role,attr"`
	Label   string   `xml:"aria-label,attr"`
	Title   string   `xml:"title"`
	Texts   []string `xml:"g>text"`
	Paths   []struct {
		Fill string `xml:"fill,attr"`
	} `xml:"path"`
}

// Whatever a profile is called, the picture has the same elements, and the documents read back as what was meant.
func TestHostile(t *testing.T) {
	for _, s := range []string{
		"loop-v5", "", "</title><script>alert(1)</script>", `" onload="alert(1)`, "&lt;&#0;]]>", "-->", "\x1b[31m\n::error::x",
		"\u202e\u200b\xff", strings.Repeat("W", 5000), "世界 😀", "##[error]",
	} {
		b := badge.Of(results.ProfileResult{ID: s, Status: results.ProfileStatusCertified}, "")
		raw := string(b.SVG())
		var p picture
		if err := xml.Unmarshal([]byte(raw), &p); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if p.Role != "img" || p.Title != b.Label+": certified" || p.Label != p.Title || len(p.Texts) != 2 || p.Texts[0] != b.Label ||
			p.Texts[1] != "certified" || len(p.Paths) != 2 {
			t.Errorf("%q is read back as %+v", s, p)
		}
		if p.Width < 80 || p.Width > 700 {
			t.Errorf("%q is %d pixels wide", s, p.Width)
		}
		elements(t, raw)
		for _, r := range raw + endpoint(t, b) {
			if r != '\n' && r != ' ' && !unicode.IsGraphic(r) {
				t.Errorf("%q leaves %U", s, r)
			}
		}
		var doc map[string]any
		if err := json.Unmarshal([]byte(endpoint(t, b)), &doc); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"schemaVersion": 1.0, "label": b.Label, "message": "certified", "color": "brightgreen"}
		if diff := cmp.Diff(want, doc); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// What has to be known of a certification is in the title of the picture, and makes it no wider.
func TestRemark(t *testing.T) {
	p := results.ProfileResult{ID: "loop-v5", Status: results.ProfileStatusCertified}
	plain, remarked := string(badge.Of(p, "").SVG()), string(badge.Of(p, "every request carried <X-Test>").SVG())
	const title = "assay loop-v5: certified; every request carried &lt;X-Test&gt;"
	if !strings.Contains(remarked, "<title>"+title+"</title>") || !strings.Contains(remarked, `aria-label="`+title+`"`) {
		t.Error(remarked)
	}
	_, one, _ := strings.Cut(plain, "</title>")
	_, other, _ := strings.Cut(remarked, "</title>")
	if one != other {
		t.Errorf("drawn as %s, and with a remark as %s", one, other)
	}
}

// elements allows those that a badge is made of.
func elements(t *testing.T, raw string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(raw))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		if !slices.Contains([]string{"svg", "title", "path", "g", "text"}, start.Name.Local) {
			t.Errorf("an element %s", start.Name.Local)
		}
		for _, a := range start.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" || a.Name.Local == "style" || a.Name.Local == "id" {
				t.Errorf("an attribute %s", a.Name.Local)
			}
		}
	}
}

// A browser draws them as wide as they say they are.
func TestDrawn(t *testing.T) {
	var html strings.Builder
	html.WriteString("<!doctype html><title>badges</title><link rel=icon href=data:,>")
	for _, s := range statuses {
		picture := badge.Of(results.ProfileResult{ID: "agentic-core", Status: s}, "").SVG()
		html.WriteString("<p><img alt='' src='data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(picture) + "'>")
	}
	path := filepath.Join(t.TempDir(), "badges.html")
	if err := os.WriteFile(path, []byte(html.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := browsertest.Open(t, browsertest.Phone)
	p.Do(chromedp.Navigate("file://" + path))
	p.Until(`[...document.images].every(i => i.complete)`)
	if n := browsertest.Read[int](p,
		`[...document.images].filter(i => i.naturalWidth > 100 && i.naturalWidth < 250 && i.naturalHeight === 20).length`); n != len(statuses) {
		t.Errorf("%d of %d are drawn", n, len(statuses))
	}
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	p.Screenshot("badges")
}
