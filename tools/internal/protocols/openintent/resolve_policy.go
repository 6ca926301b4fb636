// Package openintent holds the command of OpenIntent: its reference resolver of retry policies.
package openintent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/openintent/suspension"
	"github.com/openassay/assay/tools/internal/cli"
)

const resolvePolicyLong = `Reads the levels of one retry policy from standard input and writes the policy that
holds: what the call says goes before what its agent says, and that before the
platform, member by member (OpenIntent RFC-0026, section 5).

The question is {"platform": P, "agent": P, "call": P, "record": {"fallback_policy",
"timeout_seconds"}}, where every member may be absent and P has any of max_attempts,
interval_seconds, strategy, escalation_ladder and final_fallback_policy. The answer is
{"policy": P}, or {"policy": null} where no level says anything.

A program that answers the same way can be certified: assay certify --resolver COMMAND.`

// NewResolvePolicy returns the command resolve-policy: the reference resolver of the protocol.
func NewResolvePolicy() *cobra.Command {
	return &cobra.Command{
		Use:     "resolve-policy",
		Short:   "Resolve the three levels of an OpenIntent retry policy",
		Long:    resolvePolicyLong,
		Example: `  echo '{"platform":{"max_attempts":5},"call":{"interval_seconds":60}}' | assay resolve-policy`,
		Args:    cli.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return resolvePolicy(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// mostQuestion bounds the bytes of a question.
const mostQuestion = 1 << 20

// levels is a ResolvePolicyRequest in the types of the cascade.
type levels struct {
	Platform *suspension.Policy `json:"platform"`
	Agent    *suspension.Policy `json:"agent"`
	Call     *suspension.Policy `json:"call"`
	Record   struct {
		FallbackPolicy string `json:"fallback_policy"`
	} `json:"record"`
}

func resolvePolicy(in io.Reader, out io.Writer) error {
	raw, err := io.ReadAll(io.LimitReader(in, mostQuestion+1))
	if err != nil {
		return fmt.Errorf("resolve-policy: read standard input: %w", err)
	}
	if len(raw) > mostQuestion {
		return cli.Usage("resolve-policy: the question is longer than %d bytes: give the levels and nothing else", mostQuestion)
	}
	if err := checkQuestion(raw); err != nil {
		return err
	}
	var said levels
	if err := json.Unmarshal(raw, &said); err != nil {
		return cli.Usage("resolve-policy: %w", err)
	}
	return json.NewEncoder(out).Encode(answer(said))
}

// checkQuestion validates a question against its schema.
func checkQuestion(raw []byte) error {
	set, err := validate.Embedded(openintentv1.Bundled())
	if err != nil {
		return err
	}
	schema, err := set.Component("ResolvePolicyRequest")
	if err != nil {
		return err
	}
	var wrong []error
	for _, p := range schema.Validate(raw) {
		wrong = append(wrong, cli.Usage("resolve-policy: %s", p.String()))
	}
	return errors.Join(wrong...)
}

func answer(said levels) openintentv1.ResolvePolicyReply {
	cascade := suspension.Cascade(said.Platform, said.Agent, said.Call)
	if cascade == nil {
		return openintentv1.ResolvePolicyReply{}
	}
	r := suspension.Resolve(cascade, said.Record.FallbackPolicy)
	attempts := int64(r.MaxAttempts)
	policy := &openintentv1.HumanRetryPolicy{
		MaxAttempts: &attempts, Strategy: openintentv1.RetryStrategy(r.Strategy),
		EscalationLadder:    []openintentv1.EscalationStep{},
		FinalFallbackPolicy: openintentv1.FallbackPolicy(r.FinalFallbackPolicy),
	}
	if r.IntervalSeconds != nil {
		interval := int64(*r.IntervalSeconds)
		policy.IntervalSeconds = &interval
	}
	for _, s := range r.EscalationLadder {
		policy.EscalationLadder = append(policy.EscalationLadder, openintentv1.EscalationStep{
			Attempt: int64(s.Attempt), ChannelHint: s.ChannelHint, NotifyTo: s.NotifyTo,
		})
	}
	return openintentv1.ResolvePolicyReply{Policy: policy}
}
