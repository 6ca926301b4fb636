package surface

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/serving/contract"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	// headerReplay marks an answer that was given before. A first answer goes without it.
	headerReplay = "openwop-Idempotent-Replay"
)

// keyRecord is one entry in the log of an idempotency key. Every key has a log of its own, beside the logs of
// runs. First comes the intent, before anything happens, then the outcome. A crash in between leaves an intent
// without an outcome: the retry then works under the same token, and since the ids of runs derive from the
// token, it finds the run that the first attempt made instead of making another.
type keyRecord struct {
	// Of an intent: the digest of the body that the key is bound to, and the token.
	Body  string `json:"body,omitempty"`
	Token string `json:"token,omitempty"`
	// Of an outcome: the answer that counts from now on; or that the key is bound to no body any more, because
	// the answer was one that a better request may change.
	Status int             `json:"status,omitempty"`
	Reply  json.RawMessage `json:"reply,omitempty"`
	Free   bool            `json:"free,omitempty"`
}

// keyState is the fold of a key's log.
type keyState struct {
	log      string
	revision uint64
	keyRecord
}

// idempotency keeps the answers of requests that carry a key.
type idempotency struct {
	store *eventlog.Store

	mu   sync.Mutex
	held map[string]chan struct{} // by log: closed when the request that holds the key is done
}

// hold waits until no other request works under the same key. Of duplicates that come together one does the
// work, and the others find its answer.
func (i *idempotency) hold(ctx context.Context, log string) (release func(), err error) {
	for {
		i.mu.Lock()
		busy, taken := i.held[log]
		if !taken {
			done := make(chan struct{})
			i.held[log] = done
			i.mu.Unlock()
			return func() {
				i.mu.Lock()
				delete(i.held, log)
				i.mu.Unlock()
				close(done)
			}, nil
		}
		i.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// load folds what is known about a key.
func (i *idempotency) load(ctx context.Context, log string) (keyState, error) {
	state := keyState{log: log}
	entries, err := i.store.Read(ctx, log, 0)
	if err != nil {
		return state, err
	}
	for _, entry := range entries {
		var r keyRecord
		if err := json.Unmarshal(entry.Data, &r); err != nil {
			return state, fmt.Errorf("decode entry %d of log %q: %w", entry.Revision, log, err)
		}
		state.revision = entry.Revision
		switch {
		case r.Token != "":
			state.keyRecord = r
		case r.Free:
			state.Free = true
		default:
			state.Status, state.Reply, state.Free = r.Status, r.Reply, false
		}
	}
	return state, nil
}

func (i *idempotency) append(ctx context.Context, state *keyState, r keyRecord) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	state.revision, err = i.store.Append(ctx, state.log, state.revision, data)
	return err
}

// once makes requests that carry the same key and body happen once.
func (h *Host) once(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get(headerIdempotencyKey)
		if key == "" {
			next.ServeHTTP(w, r)
			return
		}
		log := keyLog(h.keyName(r.Context()), r.Method+" "+r.URL.Path, key)
		if err := h.answerOnce(w, r, log, next); err != nil {
			h.fail(w, r, err)
		}
	})
}

func (h *Host) answerOnce(w http.ResponseWriter, r *http.Request, log string, next http.Handler) error {
	patient, cancel := h.waiting(r.Context())
	release, err := h.keys.hold(patient, log)
	cancel()
	if err != nil {
		return fmt.Errorf("wait for the request that holds the idempotency key: %w", err)
	}
	defer release()

	// A client that hangs up now would leave an intent without an outcome; the work is finished without it.
	ctx := context.WithoutCancel(r.Context())
	body, err := h.identity(r)
	if err != nil {
		return err
	}
	state, err := h.keys.load(ctx, log)
	if err != nil {
		return err
	}
	known, same := state.Token != "", state.Body == body
	switch h.rules.Keys.Does(rules.Keyed{Key: log, Known: known, Same: same, Free: state.Free, Answered: state.Status != 0,
		Refused: state.Status >= 400}) {
	case rules.Resume:
		if !state.Free { // else it was refused then, and may be taken now
			ctx = live.Retry(ctx)
		}
	case rules.Refuse:
		return refusal.New(codeKeyMismatch, "this Idempotency-Key was used with another body: use a new key for a new request", "field",
			headerIdempotencyKey)
	case rules.Repeat:
		w.Header().Set(headerReplay, "true")
		if state.Status == http.StatusNoContent {
			w.WriteHeader(state.Status)
			return nil
		}
		writeJSON(w, state.Status, state.Reply)
		return nil
	case rules.Begin:
		state.keyRecord = keyRecord{Body: body, Token: token(log, body, state.revision)}
		if err := h.keys.append(ctx, &state, state.keyRecord); err != nil {
			return err
		}
	}
	answer := serving.NewKept(w.Header())
	next.ServeHTTP(answer, r.WithContext(context.WithValue(ctx, tokenKey{}, state.Token)))
	// Stored before it is sent: an answer that somebody has seen is the answer.
	if err := h.keys.append(ctx, &state, record(answer)); err != nil {
		// The intent stands, so a retry finds what was done; only the stored answer is missing.
		h.log.WarnContext(ctx, "the answer to a request with an idempotency key could not be stored", "log", log, "error", err)
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body.Bytes()) // a client that left can ask again
	return nil
}

// record is the outcome to store. Answers that another attempt may change are not kept: bad requests, refused
// credentials, rate limits, faults of ours, and a run that is busy or stands still now.
func record(a *serving.Kept) keyRecord {
	switch {
	case a.Status >= 500, a.Status == http.StatusBadRequest, a.Status == http.StatusUnauthorized,
		a.Status == http.StatusForbidden, a.Status == http.StatusTooManyRequests,
		a.Status == http.StatusConflict && (refuses(a, codeRunActive) || refuses(a, codeRunPaused)):
		return keyRecord{Free: true}
	}
	return keyRecord{Status: a.Status, Reply: bytes.TrimSpace(a.Body.Bytes())}
}

// refuses tells whether the answer is a refusal with this code.
func refuses(a *serving.Kept, code string) bool {
	var e openwopv1.ErrorEnvelope
	return json.Unmarshal(a.Body.Bytes(), &e) == nil && e.Error == code
}

// keyName is by whose name the keys of a caller are kept. Where a token is the credential, the key that came beside it says
// who that is.
func (h *Host) keyName(ctx context.Context) string {
	who, known := ctx.Value(besideToken{}).(caller)
	if !known {
		who = callerOf(ctx)
	}
	return h.rules.Tenants.Keys(who.tenant, who.principal)
}

// keyLog names the log of a key. The path stands for the endpoint: with the run's id in it, so that one key used
// on two runs is two keys. Of a tenant's principals each has keys of its own: nobody gets the answer to another one's vote.
func keyLog(principal, endpoint, key string) string {
	return "idem-" + digest(principal, endpoint, key)
}

// token names what one intent makes. It needs no randomness: no two intents share a log and a revision.
func token(log, body string, revision uint64) string {
	return digest(log, body, fmt.Sprint(revision))
}

// tokenKey carries the token in the context of a request.
type tokenKey struct{}

// chosenID makes the id of the run that this request makes. It is zero, and the engine chooses, where there is no key.
func chosenID(ctx context.Context) (id [16]byte) {
	if token, ok := ctx.Value(tokenKey{}).(string); ok {
		return idOf(token)
	}
	return id
}

// cause names this request among all that write, so that one which a crash interrupted writes once; "" where there is no key.
func cause(ctx context.Context) string {
	if token, ok := ctx.Value(tokenKey{}).(string); ok {
		return "key-" + token
	}
	return ""
}

// idOf makes the id of a run of a token.
func idOf(token string) (id [16]byte) {
	_, _ = hex.Decode(id[:], []byte(token)) // digest wrote it: it is 32 hexadecimal digits
	return id
}

// identity is what a key is bound to: the value of a body, or its bytes.
func (h *Host) identity(r *http.Request) (string, error) {
	if body, ok := r.Body.(*contract.Body); ok && h.manner.RawBodies {
		return digest(string(body.Raw)), nil
	}
	return bodyDigest(r)
}

// bodyDigest identifies a body by its JSON value: whitespace, the order of members and the spelling of a number make no
// difference.
func bodyDigest(r *http.Request) (string, error) {
	body, ok := r.Body.(*contract.Body)
	if !ok || len(body.Raw) == 0 {
		return digest(""), nil
	}
	canonical, err := plainly(body.Raw)
	if err != nil {
		return "", fmt.Errorf("read the body: %w", err)
	}
	return digest(string(canonical)), nil
}

// digest is a 128-bit name for a list of texts; lengths keep ("ab","c") and ("a","bc") apart.
func digest(parts ...string) string {
	hash := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(hash, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
