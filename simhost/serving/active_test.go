package serving

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestActiveWaitsForRequests(t *testing.T) {
	var q Active
	q.add(1)
	bound, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Wait(bound); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1 requests are still under way") {
		t.Errorf("waiting gave up with %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- q.Wait(t.Context()) }()
	q.add(-1)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
