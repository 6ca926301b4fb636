package scenarios

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
)

// RunID names a certification. Its names follow from it: what drives call the things that they make on the target.
type RunID struct {
	ID    string
	Given bool      // by the operator; else it is [DrawRunID] of what the report and the bundle hold
	At    time.Time // when it was drawn, with a plan in a register; zero: at the start
}

// String returns the id as reports have it, "" without one.
func (r RunID) String() string {
	if r.Given {
		return r.ID + " (given, not drawn)"
	}
	return r.ID
}

// RunIDForm says which run ids are accepted.
const RunIDForm = "up to 64 letters, digits, dots and dashes"

var runIDForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$`)

// IsRunID reports whether an operator may give this run id.
func IsRunID(id string) bool { return runIDForm.MatchString(id) }

// DrawRunID returns the run id of a certification: its seed, the version of Assay, the digest of its program, and a time, of
// which microseconds count. The suites are none of it: a plan is registered before the first request, which may decide the protocol.
// The program may be, since a run that is repeated is given its id.
func DrawRunID(seed uint64, build, binary string, at time.Time) string {
	return spoken("run", strconv.FormatUint(seed, 10), build, binary, strconv.FormatInt(at.UnixMicro(), 10))
}

// Run returns the run id of a certification with these options that starts at a time.
func (o Options) Run(started time.Time) RunID {
	switch {
	case o.RunID != "":
		return RunID{ID: o.RunID, Given: true}
	case !o.Announced.IsZero():
		return RunID{ID: DrawRunID(o.Seed, o.Build, o.Binary, o.Announced), At: o.Announced}
	}
	return RunID{ID: DrawRunID(o.Seed, o.Build, o.Binary, started)}
}

// Follows reports whether a run id was given, or follows from what it is drawn from; want is what does.
func (r RunID) Follows(seed uint64, build, binary string, started time.Time) (want string, follows bool) {
	if !r.At.IsZero() {
		started = r.At
	}
	want = DrawRunID(seed, build, binary, started)
	return want, r.Given || r.ID == want
}

// names draws the names of one drive of a certification.
type names struct {
	run, drive string
	drawn      int
}

func (n *names) next() string {
	n.drawn++
	return nameOf(n.run, n.drive, n.drawn)
}

// nameOf returns the n-th name of a drive, counted from 0. The first is [Conn.Label].
func nameOf(run, drive string, n int) string { return spoken("name", run, drive, strconv.Itoa(n)) }

//go:embed words.txt
var wordList string

var words = sync.OnceValues(func() (list []string, known map[string]bool) {
	list, known = strings.Fields(wordList), map[string]bool{}
	for _, w := range list {
		known[w] = true
	}
	return list, known
})

// Words returns the ordinary words that names are made of, in order.
func Words() []string {
	list, _ := words()
	return slices.Clone(list)
}

// spoken returns three ordinary words and a number, as follow from parts: one of 10^14.
func spoken(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	list, _ := words()
	word := func(i int) string { return list[binary.BigEndian.Uint64(sum[8*i:])%uint64(len(list))] }
	return fmt.Sprintf("%s-%s-%s-%06d", word(0), word(1), word(2), binary.BigEndian.Uint64(sum[24:])%1e6)
}

// Bounds of a name's parts, in bytes.
const (
	shortestWord, longestWord = 3, 5
	spokenDigits              = 6
)

// spokenIn returns the names that a text holds: three known words, of which the first may end a longer run of letters, and
// six digits, of which more may follow. Whole transcripts are looked through, for which a regular expression takes too long.
func spokenIn(text string) (out []string) {
	_, known := words()
	for dash := 0; ; dash++ {
		next := strings.IndexByte(text[dash:], '-')
		if next < 0 {
			return out
		}
		dash += next
		if !startsWithDigits(text[dash+1:]) {
			continue
		}
		if start, is := threeWords(text[:dash], known); is {
			out = append(out, text[start:dash+1+spokenDigits])
		}
	}
}

func startsWithDigits(text string) bool {
	for i := range spokenDigits {
		if i >= len(text) || text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// threeWords returns where the three words start that a text ends with.
func threeWords(text string, known map[string]bool) (start int, is bool) {
	end := len(text)
	for n := 3; n > 0; n-- {
		start = end
		for start > 0 && end-start < longestWord && text[start-1] >= 'a' && text[start-1] <= 'z' && !escaped(text[:start-1]) {
			start--
		}
		if end-start < shortestWord || !known[text[start:end]] {
			return 0, false
		}
		if n > 1 {
			if start == 0 || text[start-1] != '-' {
				return 0, false
			}
			end = start - 1
		}
	}
	return start, true
}

// escaped reports whether what follows a text is escaped in it: the t of a tab is no letter of a word.
func escaped(before string) bool {
	return (len(before)-len(strings.TrimRight(before, `\\`)))%2 == 1
}

// mostNames bounds the names of a drive that are looked for.
const mostNames = 4096

// Names returns how many names the drive sent that follow from the run id, and an error for the first that does not, sent or
// noted: its exchanges belong to another certification.
func (d DriveRecord) Names(run string) (n int, err error) {
	own, derived := map[string]bool{}, 0
	isOwn := func(name string) bool {
		for ; !own[name] && derived < mostNames; derived++ {
			n := nameOf(run, d.ID, derived)
			own[n], own[n[1:]], own[n[2:]] = true, true, true
		}
		// A letter before a name can turn its first word into another (b before room); changing one can uncover another (Thorn, horn).
		return own[name] || own[name[1:]] || own[name[2:]]
	}
	told := map[string]bool{} // by the target, before
	for i := range d.Transcript.Entries {
		e := &d.Transcript.Entries[i]
		for _, text := range e.Sent() {
			for _, name := range spokenIn(text) {
				switch {
				case isOwn(name):
					n++
				case !told[name]:
					return n, fmt.Errorf("exchange %d of the drive %s sends the name %s, which is none of this run", i+1, d.ID, name)
				}
			}
		}
		for _, text := range e.Received() {
			for _, name := range spokenIn(text) {
				told[name] = true
			}
		}
	}
	if noted, err := json.Marshal(d.Observation); err == nil {
		for _, name := range spokenIn(string(noted)) {
			if !isOwn(name) && !told[name] {
				return n, fmt.Errorf("the drive %s noted the name %s, which is none of this run", d.ID, name)
			}
		}
	}
	return n, nil
}
