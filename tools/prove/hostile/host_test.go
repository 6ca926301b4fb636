package hostile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openassay/assay/simhost/openwop/surface"
)

// The keys that the command is given. The hosts see them, and may tell them to anybody.
const (
	key, otherKey, lowScopeKey = "hostile-main-key-7d1f", "hostile-other-key-52aa", "hostile-low-key-90c3"
	hostSecret                 = "hostile-secret-4e0b"
	voterKeyOne, voterKeyTwo   = "hostile-voter-key-1b7e", "hostile-voter-key-2f60"
)

var secrets = []string{key, otherKey, lowScopeKey, voterKeyOne, voterKeyTwo, hostSecret}

// scene is what a hostile host can refer to.
type scene struct {
	discovery []byte // what an honest host says of itself
	elsewhere string // base URL of another origin: nobody may ask there
	private   string // the same by the name of the machine itself
}

// exchange is one request that was read from a connection, to be answered by writing to it.
type exchange struct {
	net.Conn
	*scene
	request *http.Request
}

const discoveryPath = "/.well-known/openwop"

// answers writes a whole, honest reply.
func (x *exchange) answers(status int, header, body string) error {
	_, err := fmt.Fprintf(x, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s",
		status, http.StatusText(status), len(body), header, body)
	return err
}

// repeats writes the same piece until nobody reads any more, or most bytes are written; 0 for no end.
func (x *exchange) repeats(piece string, most int) {
	chunk := strings.Repeat(piece, max(1, 64<<10/len(piece)))
	for sent := 0; most == 0 || sent < most; sent += len(chunk) {
		if _, err := io.WriteString(x, chunk); err != nil {
			return
		}
	}
}

// waits holds the connection until the other side gives up.
func (x *exchange) waits() {
	if _, err := io.Copy(io.Discard, x); err != nil {
		return // it was reset: that is an end as well
	}
}

// resets ends the connection without an orderly end.
func (x *exchange) resets() {
	if tcp, ok := x.Conn.(*net.TCPConn); ok {
		if err := tcp.SetLinger(0); err != nil {
			return // it is over already
		}
	}
}

// rawHost answers on the bare connection.
type rawHost struct {
	listener net.Listener
	serving  sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]struct{}
	closed   bool
}

// startRaw starts a host that answers as the case says.
func startRaw(t *testing.T, s *scene, c hostileCase) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &rawHost{listener: listener, open: map[net.Conn]struct{}{}}
	h.serving.Go(func() { h.accept(s, c) })
	t.Cleanup(h.close)
	return "http://" + listener.Addr().String()
}

func (h *rawHost) accept(s *scene, c hostileCase) {
	var asked atomic.Bool // the honest discovery was read: from then on it is hostile
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			return
		}
		if !h.keep(conn) {
			return
		}
		h.serving.Go(func() {
			defer h.drop(conn)
			serveRaw(conn, s, c, &asked)
		})
	}
}

func serveRaw(conn net.Conn, s *scene, c hostileCase, asked *atomic.Bool) {
	x := &exchange{Conn: conn, scene: s}
	if c.onAccept && asked.Load() {
		c.raw(x)
		return
	}
	for reader := bufio.NewReader(conn); ; {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		x.request = request
		if request.URL.Path == discoveryPath && !c.everywhere {
			if x.answers(http.StatusOK, "", string(s.discovery)) != nil {
				return
			}
			asked.Store(true)
			continue
		}
		if !c.raw(x) {
			return
		}
	}
}

func (h *rawHost) keep(conn net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		conn.Close()
		return false
	}
	h.open[conn] = struct{}{}
	return true
}

func (h *rawHost) drop(conn net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	conn.Close()
	delete(h.open, conn)
}

func (h *rawHost) close() {
	h.listener.Close()
	h.mu.Lock()
	h.closed = true
	for conn := range h.open {
		conn.Close()
	}
	h.mu.Unlock()
	h.serving.Wait()
}

// startWrapped starts an honest host with something hostile in front of it.
func startWrapped(t *testing.T, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	h := simulated(t, "http://"+server.Listener.Addr().String())
	server.Config.Handler = wrap(h.Handler())
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// simulated is an honest host with all claims that one host alone can have.
func simulated(t testing.TB, url string) *surface.Host {
	t.Helper()
	h, err := surface.New(t.Context(), surface.Options{
		URL: url, Version: surface.HighestVersion, Key: key, Tenants: map[string]string{"other": otherKey},
		Voters: map[string]string{"voter-1": voterKeyOne, "voter-2": voterKeyTwo}, LowScopeKey: lowScopeKey,
		Vault: []string{hostSecret},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(t.Context()); err != nil && !errors.Is(err, t.Context().Err()) {
			t.Errorf("closing the host: %v", err)
		}
	})
	return h
}

// honestDiscovery is what the simulated host says of itself.
func honestDiscovery(t *testing.T) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	simulated(t, "http://127.0.0.1").Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, discoveryPath, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("discovery answered HTTP %d", w.Code)
	}
	return w.Body.Bytes()
}

// canary is another origin. It fails the test when anybody asks it.
func canary(t *testing.T) (elsewhere, private string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Error("another origin was asked")
			conn.Close()
		}
	})
	t.Cleanup(func() {
		listener.Close()
		serving.Wait()
	})
	address := listener.Addr().String()
	_, port, _ := strings.Cut(address, ":")
	return "http://" + address, "http://localhost:" + port
}
