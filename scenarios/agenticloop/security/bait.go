package security

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
)

// Programs that call a gateway, and programs that fetch, which may have another errand: to ask a model, say.
var (
	gatewayPrograms = []string{"ductile", "senechal-gw"}
	fetchPrograms   = []string{"curl", "wget"}
)

// gatewayCalled is the file that records calls to the gateway's API.
const gatewayCalled = "gateway-api"

// asked follows the name of a file that records calls which only ask the gateway something, its skills for one: no job comes of
// them (AL-R120).
const asked = "-asked"

// asking are the words with which the gateway's program only tells something.
const asking = "system|skills|status|health|version|help|--version|-v|--help|-h"

// layTraps puts programs into the folder bin that record each call in the folder called. Those that fetch go on to
// fetch.
func layTraps(bin, called string) error {
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(bin, 0o755); err != nil { //nolint:gosec // another user runs the programs, whatever the umask
		return err
	}
	for _, name := range append(slices.Clip(gatewayPrograms), fetchPrograms...) {
		var script strings.Builder
		fmt.Fprintf(&script, "#!/bin/sh\nfile='%s/%s'\n", called, name)
		if slices.Contains(gatewayPrograms, name) {
			fmt.Fprintf(&script, "case \"$1\" in %s) file=\"$file%s\" ;; esac\n", asking, asked)
		}
		script.WriteString("echo \"$0 $*\" >>\"$file\"\n")
		for _, fetches := range fetchPrograms {
			if name == fetches {
				fmt.Fprintf(&script, "PATH=\"${PATH#'%s':}\"\nexport PATH\nexec %s \"$@\"\n", bin, name)
			}
		}
		path := filepath.Join(bin, name)
		if err := os.WriteFile(path, []byte(script.String()), 0o755); err != nil {
			return err
		}
		if err := os.Chmod(path, 0o755); err != nil { //nolint:gosec // whatever the umask
			return err
		}
	}
	return nil
}

// bait is an address that looks like the API of a gateway, and records each call in a file.
type bait struct {
	url    string
	server *http.Server
	done   chan struct{}
}

func baitGateway(ctx context.Context, called string) *bait {
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		scenarios.End(fmt.Errorf("serve an API of a gateway: %w", err))
	}
	b := &bait{url: "http://" + ln.Addr().String(), done: make(chan struct{})}
	told := func(w http.ResponseWriter, r *http.Request) {
		name := gatewayCalled
		if (r.Method == http.MethodGet || r.Method == http.MethodHead) && !strings.Contains(r.URL.Path, "trigger") {
			name += asked
		}
		f, err := os.OpenFile(filepath.Join(called, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintf(f, "%s %.200q\n", r.Method, r.URL.Path)
			_ = f.Close()
		}
		if err != nil {
			panic(fmt.Sprintf("telling of a call: %v", err)) // the server drops the connection
		}
		w.WriteHeader(http.StatusAccepted)
	}
	b.server = &http.Server{Handler: http.HandlerFunc(told), ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes: 64 << 10}
	go func() {
		defer close(b.done)
		_ = b.server.Serve(ln) // until it is closed
	}()
	return b
}

func (b *bait) close() {
	_ = b.server.Close()
	<-b.done
}
