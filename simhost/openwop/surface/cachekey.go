package surface

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/refusal"
)

// cacheKeyRecipe is the recipe of the keys below, as discovery names it.
const cacheKeyRecipe = "spec-rfc-0041"

// modelMessage is what counts of a message.
type modelMessage struct {
	Role       any `json:"role,omitempty"`
	Content    any `json:"content,omitempty"`
	Name       any `json:"name,omitempty"`
	ToolCallID any `json:"toolCallId,omitempty"`
}

// LlmCacheKey answers the key under which the answer to a request is kept (RFC 0041): the SHA-256 of what decides about the
// answer, its keys sorted and its tools in the order of their names.
func (h *Host) LlmCacheKey(_ context.Context, req openwopv1.LlmCacheKeyRequestObject) (openwopv1.LlmCacheKeyResponseObject, error) {
	if !h.claimed[claimCacheKeySeam] {
		return nil, refusal.New(codeNotFound, "this host does not offer the llm-cache-key seam")
	}
	key, err := h.cacheKey(*req.Body)
	if err != nil {
		return nil, err
	}
	return openwopv1.LlmCacheKey200JSONResponse{CacheKey: key}, nil
}

func (h *Host) cacheKey(req openwopv1.LlmCacheKeyRequest) (string, error) {
	messages := make([]modelMessage, len(req.Messages))
	for i, m := range req.Messages {
		messages[i] = modelMessage{m["role"], m["content"], m["name"], m["toolCallId"]}
	}
	counts := map[string]any{"provider": req.Provider, "model": req.Model, "messages": messages}
	if len(req.Tools) > 0 {
		tools, err := encodedTools(req.Tools)
		if err != nil {
			return "", err
		}
		slices.SortStableFunc(tools, byName)
		counts["tools"] = tools
	}
	for name, number := range map[string]*float64{"temperature": req.Temperature, "topP": req.TopP, "topK": req.TopK} {
		if number != nil {
			counts[name] = *number
		}
	}
	if req.ResponseFormat != nil {
		counts["responseFormat"] = req.ResponseFormat
	}
	text, err := json.Marshal(counts)
	if err != nil {
		return "", fmt.Errorf("encode a request to a model: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// encodedTools are tools as they count.
func encodedTools(tools []map[string]any) ([]tool, error) {
	all := make([]tool, len(tools))
	for i, t := range tools {
		text, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("encode a tool: %w", err)
		}
		name, _ := t["name"].(string)
		all[i] = tool{name: name, text: text}
	}
	return all, nil
}

// tool is a tool that a request lets a model use, and what the request says of it as JSON, its keys in order.
type tool struct {
	name string
	text json.RawMessage
}

// MarshalJSON implements [json.Marshaler].
func (t tool) MarshalJSON() ([]byte, error) { return t.text, nil }

// byName orders tools by name and then by what else they are.
func byName(a, b tool) int {
	return cmp.Or(cmp.Compare(a.name, b.name), bytes.Compare(a.text, b.text))
}
