package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// firstEvent measures from the moment a client knows its run to the first event it reads on a stream it then opens.
func (b *bench) firstEvent(ctx context.Context) ([]row, error) {
	host, err := serve(ctx, "")
	if err != nil {
		return nil, err
	}
	defer host.stop()
	client := newClient()
	var took []time.Duration
	for range 500 {
		body, err := createRun(ctx, client, host)
		if err != nil {
			return nil, err
		}
		var created struct {
			RunID string `json:"runId"`
		}
		if err := json.Unmarshal(body, &created); err != nil {
			return nil, fmt.Errorf("read the reply of POST /v1/runs: %w", err)
		}
		begin := time.Now()
		if err := readOneEvent(ctx, client, host, created.RunID); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
	}
	t := times(took)
	return []row{{"first event over SSE after create", "p50 150 µs", fmt.Sprintf("p50 %s, p99 %s", round(t.at(0.5)), round(t.at(0.99)))}}, nil
}

func readOneEvent(ctx context.Context, client *http.Client, host *served, runID string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, host.url+"/v1/runs/"+runID+"/events", http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+host.key)
	request.Header.Set("Accept", "text/event-stream")
	reply, err := client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data:") {
			return nil
		}
	}
	return fmt.Errorf("the stream of %s (HTTP %d) ended without an event: %w", runID, reply.StatusCode, lines.Err())
}
