package fault

import (
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/mutate"
)

const cacheKeySeam = "POST /v1/host/sample/test/llm-cache-key"

// cacheKeyFaults are about the keys under which a replay finds the answers of models.
var cacheKeyFaults = []Fault{
	{
		ID:     "replay.key-by-order-of-tools",
		Title:  "the tools of a request count for its cache key in the order in which they are sent",
		Looks:  "two requests that differ in the order of their tools have two keys",
		Breaks: []string{openwop.OWPRPL14},
		Request: mutate.Asked(cacheKeySeam, mutate.Body(func(ask map[string]any) {
			tools, _ := ask["tools"].([]any)
			for i, one := range tools { // a name that begins with its place keeps the tool there
				if tool, ok := one.(map[string]any); ok {
					tool["name"] = fmt.Sprintf("%03d %v", i, tool["name"])
				}
			}
		})),
	},
	{
		ID:     "replay.key-without-sampling",
		Title:  "the parameters of sampling do not count for the cache key",
		Looks:  "two requests that differ in their temperature have one key",
		Breaks: []string{openwop.OWPRPL14},
		Twin:   "there what is the same has two keys, here what is not has one",
		Request: mutate.Asked(cacheKeySeam, mutate.Body(func(ask map[string]any) {
			for _, parameter := range []string{"temperature", "topP", "topK"} {
				delete(ask, parameter)
			}
		})),
	},
	{
		ID:     "replay.key-of-no-tools",
		Title:  "an empty list of tools counts for the cache key",
		Looks:  "a request with an empty list of tools has another key than one without tools",
		Breaks: []string{openwop.OWPRPL14},
		Twin:   "there the order of tools counts, here a list of none",
		Request: mutate.Asked(cacheKeySeam, mutate.Body(func(ask map[string]any) {
			if tools, given := ask["tools"].([]any); given && len(tools) == 0 {
				ask["tools"] = []any{map[string]any{"name": ""}}
			}
		})),
	},
	{
		ID:     "replay.key-of-texts-alone",
		Title:  "what is no text in the messages of a request does not count for its cache key",
		Looks:  "two requests with messages in parts have one key",
		Breaks: []string{openwop.OWPRPL14},
		Twin:   "there the tools make the difference, here the parts of messages",
		Request: mutate.Asked(cacheKeySeam, mutate.Body(func(ask map[string]any) {
			messages, _ := ask["messages"].([]any)
			for _, one := range messages {
				if message, ok := one.(map[string]any); ok {
					if _, text := message["content"].(string); !text {
						delete(message, "content")
					}
				}
			}
		})),
	},
}
