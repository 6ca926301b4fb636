package prove_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"github.com/openassay/assay/simhost/openwop"
)

const secondKey = "prove-second-key"

// neighbour is the host to which those under test hand workers. One is enough for all of them.
var neighbour struct {
	once   sync.Once
	host   *openwop.Host
	server *httptest.Server
	err    error
}

// second is the address of that host.
func second(t *testing.T) string {
	t.Helper()
	neighbour.once.Do(func() {
		neighbour.host, neighbour.err = openwop.New(context.Background(), openwop.Options{Key: secondKey, HostID: "prove-second"})
		if neighbour.err == nil {
			neighbour.server = httptest.NewServer(neighbour.host.Handler())
		}
	})
	if neighbour.err != nil {
		t.Fatal(neighbour.err)
	}
	return neighbour.server.URL
}

// besides runs the tests and ends what they share before anybody looks for leaks.
type besides struct{ *testing.M }

func (b besides) Run() int {
	code := b.M.Run()
	if neighbour.host == nil {
		return code
	}
	if err := neighbour.host.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "closing the second host:", err)
		code = 1
	}
	neighbour.server.Close()
	return code
}
