package specgen

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"
	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/lazyregexp"
)

// profileFolder holds the frozen profiles, one file each.
const profileFolder = "profiles"

// frozenProfile is a profile as written in its file. Its fields match the generated Profile.
type frozenProfile struct {
	Name         string                `json:"id"              yaml:"id"` // shared by all its revisions
	Revision     int                   `json:"revision"        yaml:"revision"`
	Protocol     string                `json:"protocol"        yaml:"protocol"`
	Title        string                `json:"title"           yaml:"title"`
	Claims       []string              `json:"claims"          yaml:"claims"`
	Depth        string                `json:"depth,omitempty" yaml:"depth"` // the least at which it can be proved; none: any
	Scope        []profileSection      `json:"scope,omitempty" yaml:"scope"`
	Requirements []profileRow          `json:"requirements"    yaml:"requirements"`
	Digest       string                `json:"-"               yaml:"digest"`
	at           map[string]*yaml.Node // key -> its node
}

// profileSection names sections of a source text that a profile is about.
type profileSection struct {
	Source   string   `json:"source"             yaml:"source"`
	Sections []string `json:"sections,omitempty" yaml:"sections"` // none: the whole source
}

type profileRow struct {
	ID        string   `json:"id"               yaml:"id"`
	Evidence  string   `json:"evidence"         yaml:"evidence"`
	Claims    []string `json:"claims,omitempty" yaml:"claims"` // demanded of targets that make one of them; none: of all
	Checks    int      `json:"checks,omitempty" yaml:"checks"` // of it, at least, by these scenarios together
	Scenarios []string `json:"scenarios"        yaml:"scenarios"`
}

var (
	profileKeys        = []string{"id", "revision", "protocol", "title", "claims", "depth", "scope", "requirements", "digest"}
	profileSectionKeys = []string{"source", "sections"}
	profileRowKeys     = []string{"id", "evidence", "claims", "checks", "scenarios"}

	depths = []string{"", "quick", "standard", "deep"}

	profileForm = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
)

// ID returns the id of this revision. The first revision has the plain name.
func (p frozenProfile) ID() string {
	if p.Revision == 1 {
		return p.Name
	}
	return p.Name + "@" + strconv.Itoa(p.Revision)
}

// digest returns the SHA-256 of the canonical form (RFC 8785) of the file's content, except the digest.
func (p frozenProfile) digest() (string, error) {
	encoded, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	canonical, err := jcs.Transform(encoded)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// readProfiles reads every frozen profile, in file name order.
func readProfiles(f *folder) ([]frozenProfile, error) {
	var out []frozenProfile
	var bad problems
	for _, rel := range sortedKeys(f.profiles) {
		l := &ledger{file: f.shown(rel)}
		root, err := yamlNode(l.file, f.profiles[rel])
		if err != nil {
			if err := bad.take(err); err != nil {
				return nil, err
			}
			continue
		}
		p, err := l.profile(root)
		if err != nil {
			return nil, err
		}
		if want := p.ID() + ".yaml"; p.Name != "" && p.Revision > 0 && path.Base(rel) != want {
			l.report(root, "/id", "the file has another name than its profile", "call it "+want)
		}
		if err := bad.take(l.bad.err()); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, bad.err()
}

func (l *ledger) profile(root *yaml.Node) (frozenProfile, error) {
	p := frozenProfile{at: l.mapping(root, "", profileKeys)}
	if root.Kind != yaml.MappingNode {
		return p, nil
	}
	if err := root.Decode(&p); err != nil {
		l.report(root, "", "a value has the wrong type",
			"revision and checks are whole numbers, claims, scope, sections, requirements and scenarios are lists, all else is text")
		return p, nil
	}
	if !profileForm.MatchString(p.Name) {
		l.report(p.place(root, "id"), "/id", fmt.Sprintf("%q is no id of a profile", p.Name), "write it like loop-v5")
	}
	if p.Revision < 1 {
		l.report(p.place(root, "revision"), "/revision", "there is no revision", "the first one is revision: 1")
	}
	for key, empty := range map[string]bool{"protocol": p.Protocol == "", "title": p.Title == "", "claims": len(p.Claims) == 0,
		"requirements": len(p.Requirements) == 0} {
		if empty {
			l.report(p.place(root, key), "/"+key, "a profile has no "+key, "say it")
		}
	}
	if !slices.Contains(depths, p.Depth) {
		l.report(p.place(root, "depth"), "/depth", fmt.Sprintf("unknown depth %q", p.Depth), "choose quick, standard or deep, or leave it out")
	}
	l.profileScope(root, p)
	l.profileRows(p)
	return p, l.frozen(root, p)
}

// profileScope checks the sections that a profile is about. Only first revisions, which are older, may have none.
func (l *ledger) profileScope(root *yaml.Node, p frozenProfile) {
	if p.Revision > 1 && len(p.Scope) == 0 {
		l.report(p.place(root, "scope"), "/scope", "a profile has no scope", "list the sources and sections that its title names")
	}
	list := p.at["scope"]
	if list == nil || len(list.Content) != len(p.Scope) { // an alias of YAML, or none at all
		return
	}
	seen := map[string]bool{}
	for i, section := range p.Scope {
		n, here := list.Content[i], "/scope/"+strconv.Itoa(i)
		l.mapping(n, here, profileSectionKeys)
		switch {
		case section.Source == "":
			l.report(n, here+"/source", "there is no source", "name one that rows of the ledger have")
		case seen[section.Source]:
			l.report(n, here+"/source", section.Source+" stands twice", "list all its sections in one of the two")
		}
		seen[section.Source] = true
		l.distinct(n, here+"/sections", section.Sections)
	}
}

// distinct reports texts of a list that are empty or stand twice.
func (l *ledger) distinct(n *yaml.Node, at string, list []string) {
	seen := map[string]bool{"": true}
	for _, text := range list {
		if seen[text] {
			l.report(n, at, fmt.Sprintf("%q is empty or stands twice", text), "leave it out")
		}
		seen[text] = true
	}
}

func (p frozenProfile) place(root *yaml.Node, key string) *yaml.Node {
	if n := p.at[key]; n != nil {
		return n
	}
	return root
}

func (l *ledger) profileRows(p frozenProfile) {
	seen := map[string]bool{}
	list := p.at["requirements"]
	if list == nil || len(list.Content) != len(p.Requirements) { // an alias of YAML, or none at all
		return
	}
	for i, row := range p.Requirements {
		n, here := list.Content[i], "/requirements/"+strconv.Itoa(i)
		l.mapping(n, here, profileRowKeys)
		switch {
		case !idForm.MatchString(row.ID):
			l.report(n, here+"/id", fmt.Sprintf("%q is no requirement id", row.ID), "write it like OWP-0061-B1")
		case seen[row.ID]:
			l.report(n, here+"/id", row.ID+" stands twice", "keep one of the two")
		}
		seen[row.ID] = true
		if !slices.Contains(evidences, row.Evidence) {
			l.report(n, here+"/evidence", fmt.Sprintf("unknown evidence %q", row.Evidence),
				"choose what the ledger demands: observed, attested or survived")
		}
		if row.Checks < 0 {
			l.report(n, here+"/checks", fmt.Sprintf("%d is no number of checks", row.Checks), "give at least 1, or leave it out")
		}
		l.distinct(n, here+"/claims", row.Claims)
		if len(row.Scenarios) == 0 {
			l.report(n, here+"/scenarios", "no scenario proves it", "list those that count: assay list requirements --json has them")
		}
	}
}

// frozen compares a profile with its digest.
func (l *ledger) frozen(root *yaml.Node, p frozenProfile) error {
	if l.bad.err() != nil { // its content is not settled yet
		return nil
	}
	digest, err := p.digest()
	if err != nil {
		return fmt.Errorf("digest of %s: %w", l.file, err)
	}
	next := p
	next.Revision++
	switch {
	case p.Digest == "":
		l.report(root, "/digest", "the profile is not frozen", "when it says what it is to say for good, add digest: "+digest)
	case p.Digest != digest:
		l.report(p.place(root, "digest"), "/digest", "the profile was changed after it was frozen",
			fmt.Sprintf("put it back, and write the change as another revision: a file %s.yaml with revision: %d and without a digest",
				next.ID(), next.Revision))
	}
	return nil
}

// revision is a profile with the id of the newest revision, if it is another one.
type revision struct {
	frozenProfile
	Superseded string
}

// revisions returns the profiles by name, the newest revision of each first.
func revisions(profiles []frozenProfile) []revision {
	newest := map[string]frozenProfile{}
	for _, p := range profiles {
		if p.Revision > newest[p.Name].Revision {
			newest[p.Name] = p
		}
	}
	var out []revision
	for _, p := range profiles {
		r := revision{frozenProfile: p}
		if last := newest[p.Name]; last.Revision > p.Revision {
			r.Superseded = last.ID()
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b revision) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(b.Revision, a.Revision))
	})
	return out
}

// profilesFile returns profiles.gen.go, or nothing if the folder has no profiles.
func (c *contract) profilesFile(pkg string) (map[string][]byte, error) {
	if len(c.profiles) == 0 {
		return nil, nil
	}
	code, err := render(profilesTemplate, struct {
		Package  string
		Profiles []revision
	}{pkg, revisions(c.profiles)})
	return map[string][]byte{"profiles.gen.go": code}, err
}

const profilesTemplate = `
package {{.Package}}

// Profile is a frozen list of requirements that a target can be certified for.
type Profile struct {
	ID           string // loop-v5; a later revision is loop-v5@2
	Superseded   string // id of the newest revision; "" if this is the one
	Protocol     string // name and major version
	Title        string
	Claims       []string // that make it applicable, all of them
	Digest       string   // SHA-256 of the canonical form (RFC 8785) of its file without the digest, in hex
	Depth        string   // the least at which it can be proved; "": any
	Scope        []ProfileSection
	Requirements []ProfileRequirement
}

// ProfileSection names what a profile is about: sections of a source text.
type ProfileSection struct {
	Source   string
	Sections []string // nil: the whole source
}

// ProfileRequirement is one requirement of a profile.
type ProfileRequirement struct {
	ID        string
	Evidence  string   // observed, attested or survived: how strong the proof must be
	Claims    []string // it is demanded of targets that make one of them; nil: of all
	Checks    int      // of it that these scenarios have to make together, at least; 0: any
	Scenarios []string // that counted when the profile was frozen
}

// Profiles lists the frozen profiles by their ids, the newest revision first.
var Profiles = []Profile{
{{- range .Profiles}}
	{
		ID: {{printf "%q" .ID}},{{with .Superseded}} Superseded: {{printf "%q" .}},{{end}} Protocol: {{printf "%q" .Protocol}},
		Title: {{printf "%q" .Title}},
		Claims: {{template "texts" .Claims}},
		Digest: {{printf "%q" .Digest}},
		{{- with .Depth}}
		Depth: {{printf "%q" .}},
		{{- end}}
		{{- with .Scope}}
		Scope: []ProfileSection{
		{{- range .}}
			{Source: {{printf "%q" .Source}},{{with .Sections}} Sections: {{template "texts" .}},{{end}}},
		{{- end}}
		},
		{{- end}}
		Requirements: []ProfileRequirement{
		{{- range .Requirements}}
			{ID: {{printf "%q" .ID}}, Evidence: {{printf "%q" .Evidence}},{{with .Claims}} Claims: {{template "texts" .}},{{end}}{{with .Checks}} Checks: {{.}},{{end}} Scenarios: []string{
			{{- range .Scenarios}}
				{{printf "%q" .}},
			{{- end}}
			}},
		{{- end}}
		},
	},
{{- end}}
}

{{- define "texts"}}[]string{ {{- range $i, $t := .}}{{if $i}}, {{end}}{{printf "%q" $t}}{{end -}} }{{end}}
`
