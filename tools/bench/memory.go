package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/openassay/assay/tools/internal/protocols"
)

// How many finished runs the memory is measured after.
const (
	manyRuns = 500_000
	someRuns = 90_000 // log in memory
)

// start measures how long a simulated host takes to answer on an empty folder.
func (b *bench) startOfHost(ctx context.Context) ([]row, error) {
	var took []time.Duration
	for range 11 {
		dir, cleanUp, err := temporary()
		if err != nil {
			return nil, err
		}
		host, ready, err := b.startHost(ctx, "--data", dir)
		if err == nil {
			err = host.end()
		}
		cleanUp()
		if err != nil {
			return nil, err
		}
		took = append(took, ready)
	}
	return []row{{"simulated host, ready on an empty folder (median of 11)", "100 ms", round(times(took).at(0.5))}}, nil
}

// someInMemory measures a simulated host of its own process, its log in memory, after some finished runs.
func (b *bench) someInMemory(ctx context.Context) ([]row, error) {
	host, _, err := b.startHost(ctx)
	if err != nil {
		return nil, err
	}
	defer host.kill()
	client := newClient()
	first, err := createRun(ctx, client, &host.served)
	if err != nil {
		return nil, err
	}
	if _, err := load(ctx, client, &host.served, someRuns); err != nil {
		return nil, err
	}
	if err := host.idle(ctx, client); err != nil {
		return nil, err
	}
	resident, err := host.resident(ctx)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, host.url+"/v1/runs/"+runOf(first), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+host.key)
	reply, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the first of %d runs cannot be read any more: HTTP %d", someRuns, reply.StatusCode)
	}
	what := fmt.Sprintf("memory after %d finished runs, log in memory, the first still readable", someRuns)
	return []row{{what, "260 MiB", mebibytes(resident)}}, host.end()
}

func runOf(reply []byte) string {
	_, id, _ := strings.Cut(string(reply), `"runId":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// memory measures a simulated host of its own process, its log in files, after many finished runs and again after a
// restart on the same files.
func (b *bench) memory(ctx context.Context) ([]row, error) {
	dir, cleanUp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer cleanUp()
	host, _, err := b.startHost(ctx, "--data", dir)
	if err != nil {
		return nil, err
	}
	defer host.kill()
	client := newClient()
	begin := time.Now()
	for made := 0; made < manyRuns; made += 10_000 {
		if _, err := load(ctx, client, &host.served, 10_000); err != nil {
			return nil, err
		}
		if made%100_000 == 0 {
			fmt.Fprintf(b.log, "  %d runs in %s\n", made+10_000, time.Since(begin).Round(time.Second))
		}
	}
	if err := host.idle(ctx, client); err != nil {
		return nil, err
	}
	before, err := host.resident(ctx)
	if err != nil {
		return nil, err
	}
	if err := host.end(); err != nil {
		return nil, err
	}
	again, ready, err := b.startHost(ctx, "--data", dir)
	if err != nil {
		return nil, err
	}
	defer again.kill()
	after, err := again.resident(ctx)
	if err != nil {
		return nil, err
	}
	return []row{
		{fmt.Sprintf("memory after %d finished runs, log in files", manyRuns), "250 MiB", mebibytes(before)},
		{"  after a restart on the same files", "250 MiB", mebibytes(after)},
		{"  ready after the restart", "1 s", round(ready)},
	}, again.end()
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// child is a simulated host in a process of its own.
type child struct {
	served
	cmd *exec.Cmd
}

// startHost returns when the host answers; ready is how long that took.
func (b *bench) startHost(ctx context.Context, flags ...string) (c *child, ready time.Duration, err error) {
	begin := time.Now()
	cmd := exec.CommandContext(ctx, b.assay, append([]string{"simhost", "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	c = &child{cmd: cmd, served: served{key: protocols.DefaultKey}}
	lines := bufio.NewReader(out)
	for c.url == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			c.kill()
			return nil, 0, fmt.Errorf("assay simhost printed no address: %w", err)
		}
		if i := strings.Index(line, "http://"); i >= 0 {
			c.url = strings.TrimSpace(line[i:])
		}
	}
	go io.Copy(io.Discard, lines) // until the process ends
	for {
		err := c.healthy(ctx)
		if err == nil {
			return c, time.Since(begin), nil
		}
		if time.Since(begin) > time.Minute || ctx.Err() != nil {
			c.kill()
			return nil, 0, fmt.Errorf("assay simhost does not answer: %w", err)
		}
	}
}

func (c *child) healthy(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/healthz", http.NoBody)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("/healthz answered HTTP %d", reply.StatusCode)
	}
	return nil
}

// idle waits until the last run of the host has ended: what came before it has too.
func (c *child) idle(ctx context.Context, client *http.Client) error {
	body, err := createRun(ctx, client, &c.served)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/v1/runs/"+runOf(body)+"/events", http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Accept", "text/event-stream")
	reply, err := client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	_, err = io.Copy(io.Discard, reply.Body) // the stream ends with the run
	return err
}

// resident is the memory of the process, in bytes.
func (c *child) resident(ctx context.Context) (int64, error) {
	out, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.cmd.Process.Pid))
	if err == nil {
		if fields := strings.Fields(string(out)); len(fields) > 1 {
			pages, err := strconv.ParseInt(fields[1], 10, 64)
			return pages * int64(os.Getpagesize()), err
		}
	}
	out, err = exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(c.cmd.Process.Pid)).Output() // not Linux
	if err != nil {
		return 0, fmt.Errorf("ask for the memory of process %d: %w", c.cmd.Process.Pid, err)
	}
	kib, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return kib << 10, err
}

func (c *child) end() error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return c.cmd.Wait()
}

// kill is for the way out: the process may have ended.
func (c *child) kill() {
	if err := c.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		_ = c.cmd.Wait() // it was killed, and says so
	}
}
