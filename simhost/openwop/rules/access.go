package rules

import (
	"net/http"
	"net/url"
	"strings"
)

// Access is who gets past the door of the host.
type Access struct {
	// Admits is what becomes of who has no key that the host knows.
	Admits func(k Knock) Admission
}

// Knock is a request of somebody who has no key that the host knows.
type Knock struct {
	Method, Path string
	Public       bool        // everybody may read what is there
	Key          bool        // one was sent
	Never        func() bool // it is about a run that never was
	Begins       func() bool // what was sent begins with a key that the host knows
	Header       http.Header
	Query        url.Values
}

// Admission is what becomes of a knock.
type Admission struct {
	In   bool   // it is answered; what is not public, as if it came from the host's own tenant
	Code string // with which it is refused, else
	Late bool   // it is refused when that is done which was asked for
}

// Unauthenticated is the code for who has no key.
const Unauthenticated = "unauthenticated"

// Run is what the path names below a run, such as /events; false where it names none.
func (k Knock) Run() (operation string, ok bool) {
	id, ok := strings.CutPrefix(k.Path, "/v1/runs/")
	if slash := strings.IndexByte(id, '/'); slash >= 0 {
		return id[slash:], ok
	}
	return "", ok
}

func honestAccess() Access {
	return Access{Admits: func(k Knock) Admission { return Admission{In: k.Public, Code: Unauthenticated} }}
}
