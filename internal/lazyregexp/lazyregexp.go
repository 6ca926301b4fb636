// Package lazyregexp compiles regular expressions of package variables on first use, so that a command that does not
// use them starts faster. The go command has a package of the same name.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a [regexp.Regexp] that is compiled on first use. Its methods are those of [regexp.Regexp].
type Regexp struct{ compiled func() *regexp.Regexp }

// inTest reports whether this is a test binary.
var inTest = len(os.Args) > 0 && strings.HasSuffix(os.Args[0], ".test")

// New returns a regular expression. If it is invalid, it panics on first use, and in tests at once.
func New(pattern string) *Regexp {
	re := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
	if inTest {
		re.compiled()
	}
	return re
}

func (re *Regexp) Match(b []byte) bool        { return re.compiled().Match(b) }
func (re *Regexp) MatchString(s string) bool  { return re.compiled().MatchString(s) }
func (re *Regexp) FindString(s string) string { return re.compiled().FindString(s) }
func (re *Regexp) FindAllString(s string, n int) []string {
	return re.compiled().FindAllString(s, n)
}
func (re *Regexp) FindStringIndex(s string) []int { return re.compiled().FindStringIndex(s) }
func (re *Regexp) FindStringSubmatch(s string) []string {
	return re.compiled().FindStringSubmatch(s)
}

func (re *Regexp) FindSubmatch(b []byte) [][]byte { return re.compiled().FindSubmatch(b) }

func (re *Regexp) FindStringSubmatchIndex(s string) []int {
	return re.compiled().FindStringSubmatchIndex(s)
}

func (re *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return re.compiled().FindAllStringSubmatch(s, n)
}

func (re *Regexp) ReplaceAllString(s, by string) string {
	return re.compiled().ReplaceAllString(s, by)
}

func (re *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return re.compiled().ReplaceAllStringFunc(s, by)
}
