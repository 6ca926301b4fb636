package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/openassay/assay/tools/internal/protocols"
)

// How many events are judged.
const (
	someEvents = 200_000
	manyEvents = 1_000_000
)

// observe measures how fast the events of a log are judged, and the memory that takes.
func (b *bench) observe(ctx context.Context) ([]row, error) {
	events := someEvents
	if b.full {
		events = manyEvents
	}
	dir, cleanUp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer cleanUp()
	if err := writeLog(filepath.Join(dir, "log.ndjson"), events); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, b.assay, "observe", dir, "--protocol", protocols.Table[0].Name(), "--expect-claim", "all", "--alone")
	cmd.Stdout, cmd.Stderr = io.Discard, b.log
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	took := time.Since(begin)
	rows := []row{{fmt.Sprintf("assay observe, %d events of a log, a second", events), "50,000",
		fmt.Sprintf("%.0f", float64(events)/took.Seconds())}}
	if used, known := cmd.ProcessState.SysUsage().(*syscall.Rusage); known {
		rows = append(rows, row{"assay observe, most memory meanwhile", "512 MiB", fmt.Sprintf("%d MiB", used.Maxrss>>10)})
	}
	return rows, nil
}

// writeLog writes the events of loops of several turns.
func writeLog(name string, events int) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	for run := 0; events > 0; run++ {
		n := 0
		emit := func(kind, payload string) {
			cause := ""
			if n > 0 {
				cause = fmt.Sprintf(`,"causationId":"e-%d-0"`, run)
			}
			fmt.Fprintf(w, `{"eventId":"e-%d-%d","runId":"run-%08d","sequence":%d,"type":%q,"timestamp":"2026-11-29T12:00:00Z"%s,"payload":%s}`+"\n",
				run, n, run, n, kind, cause, payload)
			n++
		}
		emit("run.started", `{"workflowId":"w"}`)
		for turn := range 12 {
			emit("runOrchestrator.decided", fmt.Sprintf(`{"agentId":"a","iteration":%d,"decision":{"kind":"ask-user","prompt":"Go on?"}}`, turn+1))
			emit("node.started", fmt.Sprintf(`{"nodeId":"n%d","typeId":"core.noop"}`, turn))
			emit("node.completed", fmt.Sprintf(`{"nodeId":"n%d","outputs":{}}`, turn))
		}
		emit("runOrchestrator.decided", `{"agentId":"a","iteration":13,"decision":{"kind":"terminate","reason":"goal-reached"}}`)
		emit("run.completed", `{"outputs":{}}`)
		events -= n
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
